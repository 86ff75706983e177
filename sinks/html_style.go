package sinks

// htmlStyle is the style sheet; the page's policy allows it by its hash.
const htmlStyle = `
:root{--bg:#fff;--fg:#1b1f24;--dim:#57606a;--line:#d5dae0;--box:#f5f7f9;--error:#b3261e;--warning:#8a5a00;--info:#57606a;--bar:#3d6fb6;--link:#0b57d0;--heat:179,38,30}
@media (prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e4e7ea;--dim:#a0a8b0;--line:#343b42;--box:#1d2226;--error:#ff8a80;--warning:#f0b95a;--info:#a0a8b0;--bar:#7aa7e8;--link:#8ab4f8;--heat:255,110,100}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main,header,footer{max-width:1160px;margin:0 auto;padding:0 20px}
h1{font-size:24px;line-height:1.3;margin:6px 0 10px;overflow-wrap:anywhere}
h2{font-size:18px;margin:36px 0 10px;padding-top:8px;border-top:1px solid var(--line)}
h3{font-size:15px;margin:18px 0 6px}
p{margin:6px 0}
a{color:var(--link)}
.skip{position:absolute;left:-999px}
.skip:focus{left:20px;top:8px;background:var(--bg);padding:4px 8px}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.brand{margin:18px 0 0;font-weight:600;letter-spacing:.02em}
.dim,.brand span{color:var(--dim);font-weight:400}
.note{border-left:3px solid var(--warning);padding:2px 10px}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:13px}
code{overflow-wrap:anywhere}
.cmd{display:block;white-space:pre-wrap;overflow-wrap:anywhere;user-select:all;background:var(--box);border:1px solid var(--line);border-radius:6px;padding:6px 10px;margin:4px 0}
.next{display:grid;grid-template-columns:auto 1fr;gap:10px;align-items:baseline;margin:10px 0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:10px;margin:16px 0;padding:0;list-style:none}
.tiles li{background:var(--box);border:1px solid var(--line);border-radius:6px;padding:8px 12px}
.tiles b{display:block;font-size:20px;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px}
caption{text-align:left;color:var(--dim);padding-bottom:4px}
th,td{text-align:left;vertical-align:top;padding:4px 12px 4px 0;border-bottom:1px solid var(--line)}
thead th{color:var(--dim);font-weight:500;white-space:nowrap}
tbody th{font-weight:500;overflow-wrap:normal}
.r{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.name,th.name{overflow-wrap:anywhere;min-width:11em}
svg{display:block;width:100%;height:22px}
svg path{fill:var(--bar)}
svg .error{fill:var(--error)}
svg .warning{fill:var(--warning)}
svg .info{fill:var(--info)}
svg .rule{fill:none;stroke:var(--line);stroke-width:1px;vector-effect:non-scaling-stroke}
svg .onset{fill:none;stroke:var(--fg);stroke-width:1.5px;stroke-dasharray:3 2;vector-effect:non-scaling-stroke}
svg .soft{opacity:.45}
.trend{width:110px}
.bar{width:45%}
i{font-style:normal;font-weight:700;display:inline-block;min-width:1.1em}
i.error{color:var(--error)}
i.warning{color:var(--warning)}
i.info{color:var(--info)}
.lane{display:grid;grid-template-columns:minmax(0,15em) minmax(0,1fr) 5em;gap:10px;align-items:end;padding:3px 0}
.lane>:first-child{overflow-wrap:anywhere;line-height:1.25}
.lane.all svg{height:64px}
.lane svg{border-bottom:1px solid var(--line)}
.axis div{display:flex;justify-content:space-between;color:var(--dim);font-size:12px}
details.card{border:1px solid var(--line);border-radius:6px;margin:10px 0;padding:0 14px}
details.card[open]{padding-bottom:12px}
summary{cursor:pointer;padding:8px 0;overflow-wrap:anywhere}
summary b{font-size:16px}
.facts{display:grid;grid-template-columns:6em minmax(0,1fr);gap:6px 12px;margin:0}
.facts dt{color:var(--dim)}
.facts dd{margin:0;overflow-wrap:anywhere}
.facts ul{margin:0;padding-left:1.2em}
.sample{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--box);border-radius:6px;padding:6px 10px;margin:4px 0}
.heat td{text-align:right;padding:4px 8px;font-variant-numeric:tabular-nums}
.heat thead th{text-align:right;padding:4px 8px}
.heat thead th:first-child{text-align:left;padding-left:0}
.h1{background:rgba(var(--heat),.08)}
.h2{background:rgba(var(--heat),.18)}
.h3{background:rgba(var(--heat),.32)}
.h4{background:rgba(var(--heat),.5);font-weight:600}
footer{margin:40px auto 30px;color:var(--dim);font-size:13px}
@media (max-width:640px){main,header,footer{padding:0 14px}h1{font-size:19px}.wideonly{display:none}.lane{grid-template-columns:minmax(0,1fr) 4em}.lane>:first-child{grid-column:1/3}.axis>:first-child{display:none}.next{grid-template-columns:1fr;gap:0}.facts{grid-template-columns:1fr;gap:0}.facts dt{margin-top:8px}.facts .r{white-space:normal;overflow-wrap:normal;min-width:5.5em}.tiles{grid-template-columns:1fr 1fr}td.name,th.name{min-width:9.5em}th,td{padding-right:8px}}
@media print{:root{--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--box:#f5f5f5;--error:#b3261e;--warning:#8a5a00;--info:#555;--bar:#3d6fb6;--link:#000}body{font-size:11px}main,header,footer{max-width:none;padding:0}.skip{display:none}details.card,tr,.lane{break-inside:avoid}h2,h3{break-after:avoid}details::details-content{content-visibility:visible;display:block;height:auto}.bar,svg path,.heat td{print-color-adjust:exact}.scroll{overflow:visible}}
`
