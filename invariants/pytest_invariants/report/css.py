"""The style of the HTML page: readable in light and in dark, on paper too. It names nothing outside the page."""

STYLE = """
:root {
  color-scheme: light dark;
  --ground: light-dark(#ffffff, #14171c); --raised: light-dark(#f5f6f8, #1d2128); --line: light-dark(#d9dde3, #333a45);
  --ink: light-dark(#1c2128, #e4e8ee); --faint: light-dark(#59636f, #9aa5b3);
  --good: light-dark(#176b3a, #6fd99a); --good-ground: light-dark(#e3f4e9, #16301f);
  --bad: light-dark(#a8211b, #ff8f87); --bad-ground: light-dark(#fce6e4, #421b19);
  --open: light-dark(#7a5200, #f0c465); --open-ground: light-dark(#fdf1d3, #3a2d10);
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.25rem 4rem; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.25rem 0 .75rem; }
code, .cell, .where { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .875em; }
.faint { color: var(--faint); } a { color: inherit; }
.badge { display: inline-block; padding: .1rem .6rem; border-radius: .35rem; font-weight: 600; }
.good { color: var(--good); background: var(--good-ground); } .bad { color: var(--bad); background: var(--bad-ground); }
.open { color: var(--open); background: var(--open-ground); } .none { color: var(--faint); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .3rem .7rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { color: var(--faint); font-weight: 600; font-size: .875rem; }
tbody th { font-weight: 600; white-space: nowrap; }
td.cell { white-space: nowrap; } td.cell a { text-decoration: none; display: block; }
td.cell a:hover { text-decoration: underline; }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; background: var(--raised); }
summary { padding: .5rem .9rem; cursor: pointer; } details > div { padding: 0 .9rem .75rem; }
details:target { outline: 2px solid currentColor; }
ol { margin: .5rem 0; padding-left: 1.75rem; } li { margin: .35rem 0; white-space: pre-line; }
pre { margin: .2rem 0; padding: .35rem .6rem; background: var(--ground); border-radius: .35rem; overflow-x: auto;
  font: .875em/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
.remedy { border-left: 3px solid var(--good); padding-left: .75rem; }
@media print { details { break-inside: avoid; } }
"""
