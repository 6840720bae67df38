import { utf8 } from '../../base/bytes.ts'
import type { Naming } from '../../model/naming/naming.ts'
import { toldUnder } from '../../model/naming/told.ts'
import type { Found } from './directory.ts'
import { script } from './script.ts'

/**
 * The style of the built-in interface: it uses the reader's own fonts and choice of light or dark, and conveys nothing
 * by colour alone.
 */
const style = `:root { color-scheme: light dark; --edge: #767b85; --faint: #80808022; --good: #17692f; --warn: #8a5300; --bad: #b3151f; --link: #0b57c4; }
@media (prefers-color-scheme: dark) { :root { --good: #6fdc8c; --warn: #f5c451; --bad: #ff8d92; --link: #8ab8ff; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding: .5rem 1rem; border-bottom: 1px solid var(--edge); }
header p { margin: 0; font-weight: 700; }
nav, form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; }
form { margin-left: auto; }
input, select { font: inherit; max-width: 12rem; }
a { color: var(--link); }
nav a[aria-current] { font-weight: 700; text-decoration-thickness: 3px; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .25rem; padding: .25rem .5rem; background: Canvas; }
main { max-width: 75rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; }
#problem { color: var(--bad); }
#problem:empty, #status:empty { display: none; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
caption { text-align: left; font-weight: 600; padding: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--edge); overflow-wrap: anywhere; }
tbody th { font-weight: 400; }
tbody tr:hover { background: var(--faint); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; padding: .5rem; background: var(--faint); }
.passing { color: var(--good); }
.warning { color: var(--warn); }
.critical { color: var(--bad); }
`

/** The only page of the built-in interface. `script.ts` fills it; the page itself has no inline scripts or styles. */
export const page = `<!doctype html>
<html lang="en" data-product="Svc">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Svc</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/ui/app.css">
<script src="/ui/app.js" defer></script>
</head>
<body>
<a class="skip" href="#main" id="skip">Skip to content</a>
<header>
<p class="name">Svc</p>
<nav aria-label="Views">
<a href="#/services" data-view="services">Services</a>
<a href="#/nodes" data-view="nodes">Nodes</a>
<a href="#/keys/" data-view="keys">Keys</a>
</nav>
<form id="settings" aria-label="Settings">
<label>Datacenter <select id="datacenter"></select></label>
<label>Token <input id="token" type="password" autocomplete="off" spellcheck="false"></label>
<label>Filter <input id="filter" type="search" autocomplete="off" spellcheck="false"></label>
</form>
</header>
<main id="main" tabindex="-1">
<h1 id="title" tabindex="-1">Svc</h1>
<p id="problem" role="alert"></p>
<p id="status" role="status"></p>
<div id="content"></div>
<noscript><p>This page needs JavaScript. The same information is available from <code>svc catalog</code> and the HTTP API.</p></noscript>
</main>
</body>
</html>
`

/**
 * No content from elsewhere, nothing inline, in no frame of another page; the page sends requests only to its own
 * agent. CSP 3.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const builtInHeaders: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', policy],
  ['Referrer-Policy', 'no-referrer'],
]

const files = { 'index.html': page, 'app.css': style, 'app.js': script } as const

/** A file of the built-in interface. */
export function builtInFile(name: string, naming: Naming): Found {
  return Object.hasOwn(files, name)
    ? { name, bytes: utf8(toldUnder(naming, files[name as keyof typeof files])) }
    : 'none'
}
