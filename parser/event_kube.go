package parser

import (
	"bytes"
	"math/bits"
)

// klog reads `Lmmdd hh:mm:ss.uuuuuu thread file:line] text` of Kubernetes'
// programs.
// Source: https://kubernetes.io/docs/concepts/cluster-administration/system-logs/#klog-output
func (e *event) klog(line []byte, lo int) bool {
	rest := line[lo:]
	if len(rest) < 30 || !isDigits(rest[1:5]) || rest[5] != ' ' || rest[8] != ':' || rest[11] != ':' || rest[14] != '.' || !isDigits(rest[15:21]) {
		return false
	}
	at := skipBlanks(rest, 21)
	thread := at
	for at < len(rest) && isDigit(rest[at]) {
		at++
	}
	end := bytes.Index(rest[at:], []byte("] ")) + at
	if at == thread || at >= len(rest) || rest[at] != ' ' || end < at {
		return false
	}
	file := rest[at+1 : end]
	colon := bytes.LastIndexByte(file, ':')
	if colon < 1 || !isDigits(file[colon+1:]) || bytes.IndexByte(file, ' ') >= 0 {
		return false
	}
	*e = event{
		emitter:   Klog,
		time:      span{uint32(lo + 1), uint32(lo + 21)},
		level:     span{uint32(lo), uint32(lo + 1)},
		component: span{uint32(lo + at + 1), uint32(lo + at + 1 + colon)},
		message:   spanOf(line, lo+end+2, len(line)),
	}
	return true
}

// columnsBeforeType is how many columns may stand in front of an event's type.
const columnsBeforeType = 8

// kubeRow reads a row that kubectl prints of an event: of `get events` in its
// layouts, where the age comes first, and of `describe`, where the type does.
// The reason becomes the component.
// Source: https://kubernetes.io/docs/reference/kubectl/generated/kubectl_events/
func (e *event) kubeRow(line []byte, lo int) bool {
	aged, at := false, lo
	for column := 0; column < columnsBeforeType && at < len(line); column++ {
		end := wordEnd(line, at)
		word := line[at:end]
		if string(word) == "Warning" || string(word) == "Normal" {
			return e.kubeEvent(line, at, end, aged, column == 0)
		}
		if isAge(word) || isDateTime(word, 'T') {
			aged = true
		} else if column == 1 && !aged {
			return false
		}
		at = skipBlanks(line, end)
	}
	return false
}

// kubeEvent reads what follows the type of an event, which is line[lo:hi].
func (e *event) kubeEvent(line []byte, lo, hi int, aged, described bool) bool {
	reason := skipBlanks(line, hi)
	end := wordEnd(line, reason)
	if !isReason(line[reason:end]) || !aged && !described {
		return false
	}
	at := skipBlanks(line, end)
	if described {
		age := wordEnd(line, at)
		if !isAge(line[at:age]) {
			return false
		}
		at = skipRepeats(line, skipBlanks(line, age))
	}
	*e = event{
		emitter:   K8sEvent,
		level:     span{uint32(lo), uint32(hi)},
		component: span{uint32(reason), uint32(end)},
		message:   spanOf(line, skipSource(line, at), len(line)),
	}
	return true
}

// skipRepeats skips `(x17 over 8m)`.
func skipRepeats(line []byte, at int) int {
	if hasPrefix(line[at:], "(x") {
		if n := bytes.IndexByte(line[at:], ')'); n > 0 {
			return skipBlanks(line, at+n+1)
		}
	}
	return at
}

// skipSource skips the column that names an event's object or source; it ends
// with two blanks, or with one after a name such as pod/x.
func skipSource(line []byte, at int) int {
	for i := at; i < len(line); i++ {
		if isBlank(line[i]) && (isColumn(line, i) || bytes.IndexByte(line[at:i], '/') > 0) {
			return skipBlanks(line, i)
		}
	}
	return at
}

// wordEnd is where the next blank stands.
func wordEnd(line []byte, at int) int { return blankOr(line, at, ' ') }

// blankOr is where the next blank or c stands, looked for in eight bytes at
// once.
func blankOr(line []byte, at int, c byte) int {
	const each = 0x0101010101010101
	for ; at+8 <= len(line); at += 8 {
		x := load64(line, at)
		space, tab, own := x^' '*each, x^'\t'*each, x^uint64(c)*each
		if first := ((space-each)&^space | (tab-each)&^tab | (own-each)&^own) & (0x80 * each); first != 0 {
			return at + bits.TrailingZeros64(first)/8
		}
	}
	for at < len(line) && !isBlank(line[at]) && line[at] != c {
		at++
	}
	return at
}

// tabIn is where the next tab stands, often within eight bytes; negative when
// there is none.
func tabIn(line []byte, at int) int {
	const each = 0x0101010101010101
	if at+8 <= len(line) {
		x := load64(line, at) ^ '\t'*each
		if first := (x - each) &^ x & (0x80 * each); first != 0 {
			return at + bits.TrailingZeros64(first)/8
		}
	}
	if n := bytes.IndexByte(line[at:], '\t'); n >= 0 {
		return at + n
	}
	return -1
}

// isAge says whether a word is an age as kubectl prints it: 0s, 7m34s, 3h47m,
// 5d, <unknown>.
func isAge(word []byte) bool {
	if string(word) == "<unknown>" || string(word) == "<invalid>" {
		return true
	}
	number := false
	for _, c := range word {
		if isDigit(c) {
			number = true
			continue
		}
		if !number || c != 's' && c != 'm' && c != 'h' && c != 'd' && c != 'y' {
			return false
		}
		number = false
	}
	return len(word) >= 2 && !number
}

// isReason says whether a word is a reason: letters and digits in upper camel
// case.
func isReason(word []byte) bool {
	lower := false
	for _, c := range word {
		if !isDigit(c) && c|0x20-'a' >= 26 {
			return false
		}
		lower = lower || c >= 'a'
	}
	return len(word) > 2 && word[0]-'A' < 26 && lower
}

// kubeState reads lines in which kubectl tells the state of a pod: rows of
// `get pods`, and of `describe` the states of containers, their probes, the
// conditions and what else only Kubernetes prints that way.
// Source: https://kubernetes.io/docs/tasks/debug/debug-application/debug-running-pod/
func (e *event) kubeState(line []byte, lo int) bool {
	all := spanOf(line, lo, len(line))
	text := all.of(line)
	if !isDescribed(text, lo > 0) && !(lo > 0 && isCondition(text)) && !isPodRow(line, lo) {
		return false
	}
	*e = event{emitter: K8sEvent, message: all}
	return true
}

// isDescribed reads `LABEL:  value` of `describe`, which aligns the values, so
// there are two blanks at least; of a container it is indented.
func isDescribed(text []byte, indented bool) bool {
	colon := bytes.IndexByte(text, ':')
	if colon < 2 || !isColumn(text, colon+1) {
		return false
	}
	label, value := text[:colon], text[skipBlanks(text, colon+1):]
	if indented {
		return isContainerLine(label, value)
	}
	switch string(label) {
	case "QoS Class":
		return isReason(value)
	case "Controlled By":
		return bytes.IndexByte(value, '/') > 0
	case "Annotations", "Labels":
		return bytes.IndexByte(value, '/') > 0 || bytes.IndexByte(value, '=') > 0
	case "Node-Selectors", "Tolerations", "Service Account", "Priority Class Name":
		return true
	case "Replicas":
		return bytes.Contains(value, []byte(" desired | "))
	}
	return false
}

func isContainerLine(label, value []byte) bool {
	switch string(label) {
	case "State", "Last State":
		return isOneOf(value, []string{"Waiting", "Running", "Terminated"})
	case "Reason":
		return isReason(value)
	case "Exit Code", "Restart Count", "TokenExpirationSeconds", "Signal":
		return isDigits(value)
	case "Ready":
		return isOneOf(value, []string{"True", "False"})
	case "Container ID", "Image ID":
		return bytes.Contains(value, []byte("://")) || bytes.Contains(value, []byte("@sha256:"))
	case "Liveness", "Readiness", "Startup":
		return bytes.Contains(value, []byte(" delay=")) && bytes.Contains(value, []byte(" #failure="))
	case "Type":
		return bytes.Contains(value, []byte(" (a volume ")) || bytes.Contains(value, []byte(" (a temporary directory "))
	}
	return hasPrefix(label, "ISTIO_META_")
}

// conditions are the types of conditions of pods, deployments and autoscalers.
var conditions = []string{
	"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled", "DisruptionTarget",
	"Progressing", "Available", "ReplicaFailure", "AbleToScale", "ScalingActive", "ScalingLimited",
}

// isCondition reads `TYPE  True  [REASON  text]`.
func isCondition(text []byte) bool {
	end := wordEnd(text, 0)
	at := skipBlanks(text, end)
	if !isColumn(text, end) || !isOneOf(text[:end], conditions) {
		return false
	}
	end = wordEnd(text, at)
	if !isOneOf(text[at:end], []string{"True", "False", "Unknown"}) {
		return false
	}
	reason := skipBlanks(text, end)
	return reason == len(text) || isReason(text[reason:wordEnd(text, reason)])
}

// isPodRow reads `[NAMESPACE] NAME 1/2 CrashLoopBackOff 7 (2m ago) 3h47m`.
func isPodRow(line []byte, lo int) bool {
	at := lo
	for range 2 {
		at = skipBlanks(line, wordEnd(line, at))
		if ready := wordEnd(line, at); isReady(line[at:ready]) {
			state := skipBlanks(line, ready)
			restarts := skipBlanks(line, wordEnd(line, state))
			age := skipBlanks(line, wordEnd(line, restarts))
			if hasPrefix(line[age:], "(") {
				if n := bytes.IndexByte(line[age:], ')'); n > 0 {
					age = skipBlanks(line, age+n+1)
				}
			}
			return isPodState(line[state:wordEnd(line, state)]) && isDigits(line[restarts:wordEnd(line, restarts)]) &&
				isAge(line[age:wordEnd(line, age)])
		}
	}
	return false
}

// isReady says whether a word is a count of containers such as 1/2.
func isReady(word []byte) bool {
	slash := bytes.IndexByte(word, '/')
	return slash > 0 && slash < 4 && isDigits(word[:slash]) && isDigits(word[slash+1:])
}

// isPodState says whether a word is a pod's state, such as Init:0/1.
func isPodState(word []byte) bool {
	if colon := bytes.IndexByte(word, ':'); colon > 0 {
		word = word[:colon]
	}
	return isReason(word)
}
