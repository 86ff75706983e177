package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// A result is the best of a job's rounds.
type result struct {
	job
	cpu    time.Duration // user + sys of the whole process, cat included
	wall   time.Duration
	rss    int64 // bytes, the largest of all rounds
	rounds int
}

// A job that takes longer than slow runs in no more than slowRounds.
const (
	slow       = 10 * time.Second
	slowRounds = 3
)

// measure runs all jobs in turn, round after round, so that a noisy minute
// hits all of them. The first job also warms the page cache for its file;
// with the minimum taken, the others' first round does so for theirs.
func measure(jobs []job, rounds int) (map[string]result, error) {
	results := make(map[string]result)
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "\rround %d of %d ", round+1, rounds)
		for _, j := range jobs {
			best, seen := results[j.name]
			if seen && best.wall > slow && round >= slowRounds {
				continue
			}
			now, err := once(j)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", j.name, err)
			}
			if seen {
				now.cpu, now.wall = min(now.cpu, best.cpu), min(now.wall, best.wall)
				now.rss = max(now.rss, best.rss)
			}
			now.rounds = round + 1
			results[j.name] = now
		}
	}
	fmt.Fprintln(os.Stderr)
	return results, nil
}

// once runs a job and checks its answer.
func once(j job) (result, error) {
	var out, complaint bytes.Buffer
	var lines counter
	cmd := exec.Command(j.argv[0], j.argv[1:]...)
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if j.counted {
		cmd.Stdout = &lines
	}
	begin := time.Now()
	feed := func() (time.Duration, error) { return 0, nil }
	if j.piped {
		var err error
		if feed, err = cat(cmd, j.file.path); err != nil {
			return result{}, err
		}
	}
	err := cmd.Run()
	fed, feedErr := feed()
	r := result{job: j, wall: time.Since(begin)}
	if err != nil {
		return r, fmt.Errorf("%w\n%.500s", err, complaint.String())
	}
	if feedErr != nil {
		return r, feedErr
	}
	state := cmd.ProcessState
	r.cpu = state.UserTime() + state.SystemTime() + fed
	r.rss = maxRSS(state)
	if j.counted {
		return r, j.check(j.file, strconv.Itoa(int(lines)))
	}
	return r, j.check(j.file, out.String())
}

// A counter counts the lines that are written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(bytes.Count(p, []byte{'\n'}))
	return len(p), nil
}

// cat starts cat as the writer of cmd's standard input. The returned function
// waits for it and says what it cost.
func cat(cmd *exec.Cmd, path string) (wait func() (time.Duration, error), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	writer := exec.Command("cat", path)
	writer.Stdout = w
	cmd.Stdin = r
	err = writer.Start()
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	return func() (time.Duration, error) {
		r.Close() // a reader that stopped early must not leave cat waiting
		if err := writer.Wait(); err != nil {
			return 0, fmt.Errorf("cat: %w", err)
		}
		return writer.ProcessState.UserTime() + writer.ProcessState.SystemTime(), nil
	}, nil
}

// cores says how much more two busy loops do at once than one alone: 2 on two
// free cores, less when neighbours or a sibling thread take their share.
func cores() float64 {
	best := 0.0
	for range 3 {
		alone := spin(1)
		best = max(best, spin(2)/math.Max(alone, 1))
	}
	return best
}

// spin counts what n loops get done in a fixed time.
func spin(n int) float64 {
	work := make([]float64, n)
	end := time.Now().Add(150 * time.Millisecond)
	var all sync.WaitGroup
	for i := range work {
		all.Go(func() {
			turns, x := 0, uint64(i)
			for time.Now().Before(end) {
				for range 1 << 14 {
					x = x*6364136223846793005 + 1
				}
				turns++
			}
			runtime.KeepAlive(x)
			work[i] = float64(turns)
		})
	}
	all.Wait()
	sum := 0.0
	for _, w := range work {
		sum += w
	}
	return sum
}
