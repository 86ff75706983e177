package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/flagwatch/flagwatch/internal/agent"
	"github.com/flagwatch/flagwatch/internal/kafka"
	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/pipeline"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/sinks"
)

const kafkaLong = `Reads topics as a member of a consumer group and counts each record once: counts
become visible when the group's coordinator has taken the offset behind them.
With --state-dir they outlive the process, and a crash between the two neither
loses nor doubles any. Several processes of one group share the partitions.

Without --until-end it runs until Ctrl-C or SIGTERM and shows a live report, or
serves metrics with --listen.
With --until-end it reads once, without a group, what is there now, and ends
with the report: archived topics are analysed like files.

A message is a line, many lines, a gzip or zstd of them, or the JSON of a
shipper that has them under a key. Its headers may name namespace, pod and
container.`

const kafkaExamples = `  flagwatch kafka --brokers kafka-0:9092 --topic access-logs --group flagwatch
  flagwatch kafka --brokers kafka-0:9093 --topic access-logs --until-end --since 24h \
      --tls --sasl scram-sha-512 --sasl-user flagwatch --sasl-password-file /run/secrets/kafka`

// KafkaOptions are those of the command kafka.
type kafkaOptions struct {
	runOptions
	conn     kafka.Options
	told     teller
	security kafka.Security
	start    *choice
	poison   *choice
	shown    *presentation
	state    string
	listen   string
	untilEnd bool
	since    string
	until    string
	from, to int64
}

func newKafkaOptions() *kafkaOptions {
	return &kafkaOptions{start: newChoice("first", "end"), poison: newChoice("halt", "skip"), shown: newPresentation()}
}

func newKafka(std streams) *cobra.Command {
	o := newKafkaOptions()
	cmd := &cobra.Command{
		Use:     "kafka --brokers HOST:PORT --topic TOPIC --group GROUP",
		Short:   "Count the records of Kafka topics, each once",
		Long:    kafkaLong,
		Example: kafkaExamples,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.shown.deliver(std, func(std streams) error { return o.run(cmd.Context(), cmd.Flags(), std) })
		},
	}
	o.runOptions.addFlags(cmd.Flags())
	o.reading.addProgressFlags(cmd.Flags())
	o.view.addFlags(cmd.Flags())
	o.shown.addFlags(cmd.Flags())
	o.gates.addFlags(cmd.Flags(), false)
	o.addKafkaFlags(cmd.Flags())
	return cmd
}

func (o *kafkaOptions) addKafkaFlags(f *pflag.FlagSet) {
	f.StringSliceVar(&o.conn.Brokers, "brokers", nil, "addresses to begin with, as host:port")
	f.StringSliceVar(&o.conn.Topics, "topic", nil, "topic to read; may be given again")
	f.StringVar(&o.conn.Group, "group", "", "consumer group")
	f.StringVar(&o.conn.InstanceID, "instance-id", "", "name of a static member, such as the pod of a StatefulSet: its restart moves no partition")
	f.StringVar(&o.state, "state-dir", "", "directory of this member's own, where counts outlive the process")
	f.Var(o.start, "start", "where to begin when the group has no offset")
	f.Var(o.poison, "on-poison", "what to do with records that can not be decoded")
	f.StringVar(&o.conn.MessageKey, "message-key", "", "key of the log text in a JSON message, dots for nested ones; usual keys are known")
	f.DurationVar(&o.conn.Session, "session-timeout", 45*time.Second, "after which a silent member's partitions go to others")
	f.StringVar(&o.listen, "listen", "", "address of /metrics, /livez, /readyz and /api/v1/report, such as 127.0.0.1:9469; no live report then")
	f.BoolVar(&o.untilEnd, "until-end", false, "read what is there now, and end with the report")
	f.StringVar(&o.since, "since", "", "with --until-end: from a `time` of the messages on: how long ago such as 15m or 2d, RFC 3339, or a clock time")
	f.StringVar(&o.until, "until", "", "with --until-end: up to a `time` of the messages")
	f.Int64Var(&o.from, "from-offset", 0, "with --until-end: first offset of each partition")
	f.Int64Var(&o.to, "to-offset", 0, "with --until-end: offset to stop before in each partition")
	f.BoolVar(&o.security.TLS, "tls", false, "encrypt")
	f.StringVar(&o.security.CA, "tls-ca", "", "file with the certificates that vouch for the brokers")
	f.StringVar(&o.security.Cert, "tls-cert", "", "file with the client's certificate")
	f.StringVar(&o.security.Key, "tls-key", "", "file with its key")
	f.StringVar(&o.security.ServerName, "tls-server-name", "", "name that the brokers' certificates must have")
	f.BoolVar(&o.security.Insecure, "tls-insecure", false, "do not verify the brokers' certificates")
	f.StringVar(&o.security.SASL, "sasl", "", "how to log in: "+strings.Join(kafka.Mechanisms, ", "))
	f.StringVar(&o.security.User, "sasl-user", "", "user name")
	f.StringVar(&o.security.PasswordFile, "sasl-password-file", "", "file with the password; it is read again for every connection")
	f.BoolVar(&o.security.ClearPlain, "allow-plaintext-auth", false, "send a password of SASL PLAIN without TLS")
}

// options checks the flags and completes those of the connection.
func (o *kafkaOptions) options(f *pflag.FlagSet, std streams) (err error) {
	if len(o.conn.Brokers) == 0 || len(o.conn.Topics) == 0 {
		return usageError("kafka: --brokers and --topic are needed")
	}
	if o.conn.Group == "" && !o.untilEnd {
		return usageError("kafka: --group is needed, or --until-end for a reading without one")
	}
	for _, name := range []string{"since", "until", "from-offset", "to-offset", "progress", "no-progress"} {
		if f.Changed(name) && !o.untilEnd {
			return usageError("kafka: --%s goes with --until-end", name)
		}
	}
	if o.untilEnd && (o.state != "" || o.conn.InstanceID != "" || o.listen != "") {
		return usageError("kafka: a reading with --until-end is no member of a group: it has no --state-dir, --instance-id or --listen")
	}
	if err := checkJobs(o.jobs); err != nil {
		return err
	}
	if wrong := agent.WrongAddress(o.listen); wrong != "" {
		return usageError("--listen %s", wrong)
	}
	if o.start.value == "end" {
		o.conn.Start = kafka.End
	}
	if o.poison.value == "skip" {
		o.conn.Poison = kafka.Skip
	}
	o.told.out = std.err
	o.conn.Say = o.told.say
	if err := errors.Join(o.shown.check(), o.gates.parse(o.rules, false)); err != nil {
		return err
	}
	if err := o.security.Apply(&o.conn); err != nil {
		return usageError("kafka: %w", err)
	}
	if o.security.Insecure {
		say(std.err, "the brokers' certificates are not verified (--tls-insecure)")
	}
	return nil
}

// span is the part of the topics that --until-end reads.
func (o *kafkaOptions) span(f *pflag.FlagSet, now time.Time) (s kafka.Range, err error) {
	if s.Since, err = optional(o.since, now); err != nil {
		return s, usageError("--since: %w", err)
	}
	if s.Until, err = optional(o.until, now); err != nil {
		return s, usageError("--until: %w", err)
	}
	s.FromOffset, s.HasFrom = o.from, f.Changed("from-offset")
	s.ToOffset, s.HasTo = o.to, f.Changed("to-offset")
	return s, nil
}

func optional(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return when(text, now)
}

func (o *kafkaOptions) run(ctx context.Context, f *pflag.FlagSet, std streams) error {
	if err := o.options(f, std); err != nil {
		return err
	}
	causes, err := loadRules(o.rules)
	if err != nil {
		return err
	}
	view, err := o.view.options(causes)
	if err != nil {
		return err
	}
	formats, err := o.formats.load(std.err)
	if err != nil {
		return err
	}
	if std.env("GOGC") == "" {
		debug.SetGCPercent(50) // what is fetched is garbage at once: time for memory
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	o.conn.Formats = formats
	opt := pipeline.Options{Workers: o.jobs, Formats: formats, Classifier: causes, Series: o.shown.output.value == "prom", Fault: o.fault(std.err)}
	if o.untilEnd {
		span, err := o.span(f, time.Now())
		if err != nil {
			return err
		}
		return o.once(ctx, std, span, opt, view)
	}
	return o.member(ctx, std, opt, view)
}

// once reads what is there, and ends with the report.
func (o *kafkaOptions) once(ctx context.Context, std streams, span kafka.Range, opt pipeline.Options, view sinks.ReportOptions) error {
	r, err := kafka.OpenRange(ctx, o.conn, span)
	if err != nil && ctx.Err() != nil {
		return errors.New("kafka: interrupted before anything was read")
	}
	if err != nil {
		return fmt.Errorf("kafka: %w", err)
	}
	mem := ledger.NewMemory()
	opt.Early = true
	stop := o.reading.watch(std, func() []source.Input { return []source.Input{{Bytes: r.Status().Bytes}} }, r.Progress, false)
	o.told.beside(o.reading.wantsProgress(std, false))
	failed := pipeline.Run(ctx, r, mem, opt)
	o.told.beside(false)
	stop()
	r.Close()
	if failed != nil && !errors.Is(failed, source.ErrIncomplete) && !errors.Is(failed, context.Canceled) {
		return fmt.Errorf("kafka: %w", failed)
	}
	in := source.Input{Name: o.name(), Bytes: r.Status().Bytes, Begun: true, Done: failed == nil, Live: errors.Is(failed, context.Canceled)}
	if !in.Live {
		in.Err = failed
	}
	if in.Done && in.Bytes == 0 {
		in.Done, in.Live = false, true // nor is it an empty file
		say(std.err, in.Name+": "+nothingRead(r.Status()))
	}
	res := &result{inputs: []source.Input{in}, interrupted: ctx.Err() != nil}
	mem.View(func(s *sinks.Snapshot) { res.report = s.ReportWith(view, res.reportInputs()...) })
	return o.print(std, res, r.Status())
}

// nothingRead says why a reading that came to its end has nothing.
func nothingRead(s kafka.Status) string {
	there := int64(0)
	for _, p := range s.Partitions {
		there += p.HighWatermark - p.LogStart
	}
	if there == 0 {
		return "no messages"
	}
	return "no messages in that range; the topic has " + plural(there, "offset", "offsets")
}

func (o *kafkaOptions) name() string { return "kafka " + strings.Join(o.conn.Topics, ",") }

// print writes the report, and says what it does not.
func (o *kafkaOptions) print(std streams, res *result, status kafka.Status) error {
	f := outputFormatOf(o.shown.output.value)
	if !f.isText() || res.report.Totals.Records > 0 {
		res.shown = f.isText() && !o.shown.quiet
		if err := o.shown.write(std, res.report); err != nil {
			return err
		}
	} else if res.inputs[0].Err == nil && res.inputs[0].Bytes == 0 && !o.untilEnd {
		say(std.err, o.name()+": nothing was counted")
	}
	if f.name == "prom" {
		if err := status.WriteMetrics(std.out); err != nil {
			return fmt.Errorf("cannot write the report: %w", err)
		}
	}
	return o.gates.conclude(std.err, res.report, nil, res.conclude(std.err, o.verbose))
}
