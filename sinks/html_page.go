package sinks

// htmlBody is the body up to the report as JSON, a html/template. No action
// stands inside of a style sheet, a script or an event; a link goes to a place
// in the page or to a page that the catalogue of causes names.
const htmlBody = `<body>
<a class="skip" href="#causes">To the causes</a>
<header>
<p class="brand">flagwatch <span>{{range $i, $m := .Meta}}{{if $i}} · {{end}}{{$m}}{{end}}</span></p>
<h1>{{.Headline}}</h1>
{{with .Next}}<div class="next"><span class="dim">Type next</span><div>{{range .}}<code class="cmd">{{.Command}}</code>{{with .Empty}}<span class="dim">if empty: {{.}}</span>{{end}}{{end}}</div></div>{{end}}
{{with .Hit}}<p>Where: {{range $i, $m := .}}{{if $i}} · {{end}}{{$m}}{{end}}</p>
{{end}}{{range .Warnings}}<p class="note">{{.}}</p>
{{end}}</header>
<main>
<ul class="tiles">{{range .Tiles}}<li><b>{{.Value}}</b> {{.Label}}</li>{{end}}</ul>
{{with .Who}}<table><caption>Who: failed requests by whose they are</caption><thead><tr><th scope="col">side</th><th scope="col" class="bar"><span class="dim">part</span></th><th scope="col" class="r">count</th><th scope="col" class="r">share</th></tr></thead>
<tbody>{{range .}}<tr><th scope="row">{{.Name}}</th><td><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><path d="{{.Path}}"/></svg></td><td class="r">{{.Count}}</td><td class="r">{{.Share}}</td></tr>
{{end}}</tbody></table>{{end}}
{{with .When}}<h2 id="when">When</h2>
<p>{{range $i, $n := .Notes}}{{if $i}} · {{end}}{{$n}}{{end}}</p>
<div>{{range .Lanes}}<div class="lane{{if .All}} all{{end}}"><div>{{with .Mark}}<i class="{{$.ClassOf .}}">{{.}}</i>{{end}}{{.Name}}</div><svg viewBox="0 0 {{.Width}} 20" preserveAspectRatio="none" role="img"><title>{{.Title}}</title><path class="{{.Class}}" d="{{.Path}}"/>{{with .Onset}}<path class="onset" d="{{.}}"/>{{end}}</svg><div class="r">{{.Sum}}</div></div>
{{end}}<div class="lane axis"><span></span><div>{{range .Ticks}}<span>{{.}}</span>{{end}}</div><span></span></div></div>
{{with .Onset}}<p class="dim">┆ {{.}}</p>{{end}}
<details><summary>The numbers of this picture</summary><div class="scroll" tabindex="0" role="region" aria-label="Failed requests by time and cause"><table><caption>Failed requests by time (UTC) and cause; times without a failure are left out</caption><thead><tr><th scope="col">from</th>{{range .Heads}}<th scope="col" class="r">{{.}}</th>{{end}}</tr></thead>
<tbody>{{range .Rows}}<tr><th scope="row">{{.From}}</th>{{range .Counts}}<td class="r">{{.}}</td>{{end}}</tr>
{{end}}</tbody></table></div></details>{{end}}
<h2 id="causes">What</h2>
{{if .Causes}}<div class="scroll" tabindex="0" role="region" aria-label="Causes"><table><thead><tr><th scope="col" class="r wideonly">no.</th><th scope="col">cause</th><th scope="col">code, flags</th><th scope="col" class="r">count</th><th scope="col" class="r wideonly">share</th><th scope="col" class="wideonly">trend</th><th scope="col" class="wideonly">until</th><th scope="col">where</th></tr></thead>
<tbody>{{range .Causes}}<tr><td class="r wideonly">{{.N}}</td><th scope="row"><i class="{{$.ClassOf .Mark}}" title="{{.Severity}}">{{.Mark}}</i>{{if .Full}}<a href="#c{{.N}}">{{.Label}}</a>{{else}}{{.Label}}{{end}}</th><td>{{.Outcome}}</td><td class="r">{{.Count}}</td><td class="r wideonly">{{.Share}}</td><td class="trend wideonly">{{with .Trend}}<svg viewBox="0 0 30 20" preserveAspectRatio="none" aria-hidden="true"><path d="{{.}}"/></svg>{{end}}</td><td class="wideonly">{{.Until}}</td><td class="name">{{.Where}}</td></tr>
{{end}}</tbody></table></div>{{else}}<p>{{.Nothing}}</p>{{end}}
{{range .Notes}}<p class="dim">{{.}}</p>
{{end}}{{range .Cards}}<details class="card" id="c{{.N}}"{{if .Open}} open{{end}}><summary>{{.N}} <i class="{{$.ClassOf .Mark}}" title="{{.Severity}}">{{.Mark}}</i><b>{{.Label}}</b> <span class="dim">{{range $i, $m := .About}}{{if $i}} · {{end}}{{$m}}{{end}}</span></summary>
<dl class="facts"><dt>What</dt><dd>{{.What}}</dd>
{{with .Proof}}<dt>Proof</dt><dd><table><thead><tr><th scope="col">field</th><th scope="col">value</th><th scope="col" class="r">records</th></tr></thead><tbody>{{range .}}<tr><th scope="row">{{.Name}}</th><td class="name"><code>{{.Value}}</code></td><td class="r">{{.Count}}</td></tr>
{{end}}</tbody></table></dd>{{end}}
{{with .Traffic}}<dt>Requests</dt><dd>{{.}}</dd>{{end}}
{{with .Times}}<dt>Time</dt><dd>{{.}}</dd>{{end}}
{{with .Seen}}<dt>Seen</dt><dd><ul>{{range .}}<li>{{.}}</li>{{end}}</ul></dd>{{end}}
{{with .Rivals}}<dt>Or</dt><dd><ul>{{range .}}<li><b>{{.Name}}</b> {{.Value}}</li>{{end}}</ul></dd>{{end}}
{{with .Next}}<dt>Next</dt><dd>{{range .}}<code class="cmd">{{.Command}}</code>{{with .Empty}}<span class="dim">if empty: {{.}}</span>{{end}}{{end}}</dd>{{end}}
{{with .Fix}}<dt>Fix</dt><dd>{{.}}</dd>{{end}}
{{with .Samples}}<dt>Samples</dt><dd>{{range .}}<div class="sample mono">{{.}}</div>{{end}}</dd>{{end}}
<dt>More</dt><dd>{{with .Explain}}<code>{{.}}</code>{{end}}{{range .Links}} <a href="{{.}}" rel="noreferrer noopener">{{.}}</a>{{end}}</dd></dl></details>
{{end}}{{if or .Heat .Places}}<h2 id="where">Where</h2>{{end}}
{{with .Heat}}<div class="scroll" tabindex="0" role="region" aria-label="Failed requests by cluster and flags"><table class="heat"><caption>Failed requests by upstream cluster and flags. The darker, the more of the cluster's requests it is.</caption><thead><tr><th scope="col">cluster</th><th scope="col">requests</th><th scope="col">failed</th><th scope="col">{{$.ShareHead}}</th>{{range .Heads}}<th scope="col">{{.}}</th>{{end}}</tr></thead>
<tbody>{{range .Rows}}<tr><th scope="row" class="name">{{.Name}}</th><td>{{.Access}}</td><td>{{.Failed}}</td><td>{{.Share}}</td>{{range .Cells}}<td{{with .Class}} class="{{.}}"{{end}}>{{.Count}}</td>{{end}}</tr>
{{end}}</tbody></table></div>{{end}}
{{range .Places}}<h3>{{.Name}}</h3><div class="scroll" tabindex="0" role="region" aria-label="{{.Name}}"><table><thead><tr>{{range .Heads}}<th scope="col"{{if .Right}} class="r"{{end}}>{{.Text}}</th>{{end}}</tr></thead><tbody>{{range .Rows}}<tr>{{range $i, $c := .}}{{if $i}}<td{{if $c.Right}} class="r"{{end}}>{{$c.Text}}</td>{{else}}<th scope="row" class="name">{{$c.Text}}</th>{{end}}{{end}}</tr>
{{end}}</tbody></table></div>
{{end}}{{with .Latency}}<h2 id="latency">How long</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Durations"><table><caption>Durations of requests, and of the failed ones by cause: median to 99 %, then the longest, from {{.From}} to {{.To}} on a logarithmic axis. The lines stand at usual timeouts: {{.Rules}}.</caption><thead><tr><th scope="col">requests</th><th scope="col" class="bar">durations</th><th scope="col" class="r">median</th><th scope="col" class="r">90 %</th><th scope="col" class="r">99 %</th><th scope="col" class="r">longest</th><th scope="col">at whole seconds</th></tr></thead>
<tbody>{{range .Rows}}<tr><th scope="row">{{.Name}}</th><td><svg viewBox="0 0 200 20" preserveAspectRatio="none" aria-hidden="true"><path class="rule" d="{{.Rules}}"/><path class="soft" d="{{.Whisker}}"/><path d="{{.Box}}"/></svg></td><td class="r">{{.P50}}</td><td class="r">{{.P90}}</td><td class="r">{{.P99}}</td><td class="r">{{.Max}}</td><td>{{.Timeouts}}</td></tr>
{{end}}</tbody></table></div>{{end}}
{{with .Proxies}}<h2 id="proxies">The proxies themselves</h2>
<table><thead><tr><th scope="col">proxy</th><th scope="col">state</th><th scope="col">what happened (UTC)</th></tr></thead><tbody>{{range .}}<tr><th scope="row" class="name">{{.Name}}</th><td>{{.Status}}</td><td>{{range $i, $m := .Told}}{{if $i}} · {{end}}{{$m}}{{end}}</td></tr>
{{end}}</tbody></table>{{end}}
{{with .Outcomes}}<h2 id="codes">Codes and flags</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Codes and flags"><table><thead><tr><th scope="col" class="r">code</th><th scope="col">flags</th><th scope="col">in words</th><th scope="col" class="r">requests</th><th scope="col" class="r">failed</th><th scope="col" class="r">{{$.ShareHead}}</th></tr></thead><tbody>{{range .}}<tr><th scope="row" class="r">{{.Code}}</th><td><i class="{{$.ClassOf .Mark}}">{{.Mark}}</i>{{.Flags}}</td><td>{{.Long}}</td><td class="r">{{.Count}}</td><td class="r">{{.Failed}}</td><td class="r">{{.Share}}</td></tr>
{{end}}</tbody></table></div>{{end}}
<h2 id="input">What was read</h2>
{{range .Health}}<p>{{.}}</p>
{{end}}{{with .Inputs}}<table><thead><tr><th scope="col">input</th><th scope="col" class="r">bytes</th><th scope="col">state</th></tr></thead><tbody>{{range .}}<tr><th scope="row" class="name">{{.Name}}</th><td class="r">{{.Bytes}}</td><td>{{.State}}</td></tr>
{{end}}</tbody></table>{{end}}
{{with .Doubtful}}<h3>Records in doubt</h3><table><thead><tr><th scope="col">where</th><th scope="col">why</th><th scope="col">record</th></tr></thead><tbody>{{range .}}<tr><td class="name">{{.Where}}</td><td>{{.Why}}</td><td class="name"><code>{{.Text}}</code></td></tr>
{{end}}</tbody></table>{{end}}
</main>
<footer>{{.Foot}}</footer>
`
