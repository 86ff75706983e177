package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/flagwatch/flagwatch/internal/agent"
	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/safe"
	"github.com/flagwatch/flagwatch/internal/tail"
	"github.com/flagwatch/flagwatch/sinks"
)

const agentLong = `Follows the logs of the proxies on a node over rotation, truncation, compression
and restarts, and serves what it counted: /metrics, /api/v1/report?since=15m,
/livez and /readyz. Without arguments it follows the proxies in /var/log/pods.

With --state-dir counts and positions are kept together: a crash neither loses
nor doubles a record, and no counter goes back. Without it they end with the
process. SIGTERM and Ctrl-C make what was counted durable and exit with 0.`

const agentExamples = `  flagwatch agent --state-dir /var/lib/flagwatch --listen :9469
  flagwatch agent --config agent.yaml
  flagwatch agent --root /var/log/envoy '/var/log/envoy/*.log'`

// AgentOptions are those of the command agent.
type agentOptions struct {
	cfg      agent.Config
	config   string
	from     *choice
	format   *choice
	level    *choice
	formats  formats
	contains []string
}

func newAgent(std streams) *cobra.Command {
	o := &agentOptions{cfg: agent.Default(), from: newChoice(agent.Froms...), format: newChoice(agent.LogFormats...), level: newChoice("info", "debug", "warn", "error")}
	cmd := &cobra.Command{
		Use:     "agent [FILE|GLOB|DIR]...",
		Short:   "Follow the proxy logs of a node and serve metrics",
		Long:    agentLong,
		Example: agentExamples,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := meantCommand(args, commandNames(cmd)); err != nil {
				return err
			}
			cfg, err := o.configuration(cmd.Flags(), args)
			if err != nil {
				return err
			}
			return o.run(cmd.Context(), std, cfg)
		},
	}
	o.addAgentFlags(cmd.Flags())
	cmd.AddCommand(newAgentState(std), newAgentPrepare(std))
	return cmd
}

func (o *agentOptions) addAgentFlags(f *pflag.FlagSet) {
	f.StringVar(&o.config, "config", "", "file with all of this; flags come before it")
	f.StringVar(&o.cfg.StateDir, "state-dir", "", "directory where counts and positions outlive the process")
	f.Var(o.from, "from", "where to begin with files that the state does not know; state: the beginning")
	f.BoolVar(&o.cfg.Strict, "strict-state", false, "refuse to start with a damaged state")
	f.StringVar(&o.cfg.Listen, "listen", o.cfg.Listen, "address to serve on; empty for none")
	f.StringVar(&o.cfg.Pprof, "pprof", "", "loopback address for /debug/pprof")
	f.StringSliceVar(&o.cfg.Roots, "root", o.cfg.Roots, "directory outside of which no file is opened; may be given again")
	f.StringSliceVar(&o.contains, "container", tail.DefaultContainers(), "container whose logs are read; may be given again")
	f.StringVar(&o.cfg.Rules, "rules", "", "a file of the team's own causes, tried before the catalogue's")
	o.formats.addFlags(f)
	f.DurationVar(&o.cfg.BornAtZero, "born-at-zero", o.cfg.BornAtZero, "how long a new series of a workload is shown as 0")
	f.IntVar(&o.cfg.MaxSeries, "max-series", o.cfg.MaxSeries, "how many series a metric has at most; the rest is other")
	f.IntVar(&o.cfg.MaxOpen, "max-open-files", o.cfg.MaxOpen, "how many files are open at a time")
	f.IntVarP(&o.cfg.Workers, "jobs", "j", o.cfg.Workers, "how many workers count; 0: one a CPU")
	f.Var(o.format, "log-format", "how the agent's own log is written; auto: text on a terminal, else JSON")
	f.Var(o.level, "log-level", "what of it is written")
}

// configuration is the file's, with what the flags say instead.
func (o *agentOptions) configuration(flags *pflag.FlagSet, args []string) (agent.Config, error) {
	cfg := agent.Default()
	if o.config != "" {
		data, err := os.ReadFile(o.config)
		if err != nil {
			return cfg, usageError("config: %w", openError(o.config, err))
		}
		if cfg, err = agent.Parse(o.config, data); err != nil {
			return cfg, &exitError{exitUsage, err}
		}
	}
	for name, set := range map[string]func(){
		"state-dir":      func() { cfg.StateDir = o.cfg.StateDir },
		"from":           func() { cfg.From = o.from.value },
		"strict-state":   func() { cfg.Strict = o.cfg.Strict },
		"listen":         func() { cfg.Listen = o.cfg.Listen },
		"pprof":          func() { cfg.Pprof = o.cfg.Pprof },
		"root":           func() { cfg.Roots = o.cfg.Roots },
		"rules":          func() { cfg.Rules = o.cfg.Rules },
		"born-at-zero":   func() { cfg.BornAtZero = o.cfg.BornAtZero },
		"max-series":     func() { cfg.MaxSeries = o.cfg.MaxSeries },
		"max-open-files": func() { cfg.MaxOpen = o.cfg.MaxOpen },
		"jobs":           func() { cfg.Workers = o.cfg.Workers },
		"log-format":     func() { cfg.LogFormat = o.format.value },
		"log-level":      func() { cfg.LogLevel = o.level.value },
	} {
		if flags.Changed(name) {
			set()
		}
	}
	if len(args) > 0 {
		cfg.Inputs = []tail.Input{{Name: "files", Paths: args}}
	}
	if len(args) > 0 || flags.Changed("container") {
		for i := range cfg.Inputs {
			cfg.Inputs[i].Containers = o.contains
		}
	}
	if err := cfg.Check(); err != nil {
		return cfg, &exitError{exitUsage, err}
	}
	return cfg, nil
}

func (o *agentOptions) run(ctx context.Context, std streams, cfg agent.Config) error {
	causes, err := loadRules(cfg.Rules)
	if err != nil {
		return err
	}
	formats, err := o.formats.load(std.err)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE) // who read the log may be gone; counting goes on
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	return agent.Run(ctx, cfg, agent.Env{
		Log: logger(std, cfg), Self: std.env("POD_NAME"), Causes: causes, Formats: formats,
		Build: sinks.MetricOptions{Version: moduleVersion()}, Program: version(),
	})
}

// logger writes the agent's own log. Texts and JSON are escaped by slog, but
// for what JSON leaves as it is.
func logger(std streams, cfg agent.Config) *slog.Logger {
	var level slog.Level
	level.UnmarshalText([]byte(cfg.LogLevel))
	opt := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch v := a.Value.Any().(type) {
		case time.Time:
			return slog.Time(a.Key, v.UTC())
		case error:
			return slog.String(a.Key, safe.Text(v.Error()).String())
		case string:
			return slog.String(a.Key, safe.Text(v).String())
		}
		return a
	}}
	f, isFile := std.err.(*os.File)
	if cfg.LogFormat == "text" || cfg.LogFormat == "auto" && isFile && isTerminal(f) {
		return slog.New(slog.NewTextHandler(std.err, opt))
	}
	return slog.New(slog.NewJSONHandler(std.err, opt))
}

const prepareLong = `Makes a state directory that an agent of the same group can write to, as root
without any capability can: a pod does that before its agent starts, which is
not root. A directory that belongs to somebody else is left as it is.`

func newAgentPrepare(std streams) *cobra.Command {
	return &cobra.Command{
		Use:     "prepare DIR",
		Short:   "Make a state directory that the agent's group can write to",
		Long:    prepareLong,
		Example: "  flagwatch agent prepare /var/lib/flagwatch",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := args[0]
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return fmt.Errorf("state directory: %w", err)
			}
			err := os.Chmod(dir, 0o770)
			if errors.Is(err, fs.ErrPermission) {
				fmt.Fprintf(std.err, "flagwatch: %s belongs to somebody else and stays as it is\n", safe.Text(dir))
				return nil
			}
			return err
		},
	}
}

func newAgentState(std streams) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "state --state-dir DIR",
		Short: "Show the positions and counters that a state directory holds",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if dir == "" {
				return usageError("agent state: --state-dir is missing")
			}
			return showState(std, dir)
		},
	}
	cmd.Flags().StringVar(&dir, "state-dir", "", "directory of an agent, which may be running")
	return cmd
}

// showState prints the state of a directory as JSON.
func showState(std streams, dir string) error {
	places, counts, err := ledger.ReadState(dir)
	if err != nil {
		return err
	}
	saved, err := tail.ParseSaved(places)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	var metrics strings.Builder
	if err := counts.WriteMetrics(&metrics, sinks.MetricOptions{Version: moduleVersion()}); err != nil {
		return err
	}
	return writeJSON(std.out, struct {
		Streams  []tail.SavedStream `json:"streams"`
		Counters map[string]string  `json:"counters"`
	}{saved.Streams, countersOf(metrics.String())})
}

// countersOf reads the series that are not zero from an exposition.
func countersOf(text string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && name != "#" && value != "0" {
			m[name] = value
		}
	}
	return m
}
