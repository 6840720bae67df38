import { concatBytes, utf8 } from '../../base/bytes.ts'
import { gunzipped } from '../../base/gzip.ts'
import type { Shipped, ShippedName } from '../../env/shipped.ts'
import type { Naming } from '../../model/naming/naming.ts'
import { toldUnder } from '../../model/naming/told.ts'
import type { Found } from './directory.ts'

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
  ['Vary', 'Accept-Encoding'],
]

const files: ReadonlyMap<string, ShippedName> = new Map([
  ['app.js', 'ui.js.gz'],
  ['app.css', 'ui.css.gz'],
])

/** The built-in interface of one agent. */
export class BuiltInFiles {
  readonly #naming: Naming
  readonly #shipped: Shipped
  readonly #upToRoot: string
  readonly #expanded = new Map<string, Uint8Array>()

  /** `contentPath` begins and ends with a slash. */
  constructor(naming: Naming, shipped: Shipped, contentPath: string) {
    this.#naming = naming
    this.#shipped = shipped
    this.#upToRoot = '../'.repeat(contentPath.split('/').length - 2)
  }

  /** The page, for a request `depth` folders below the content path: what it links to is relative, because of proxies. */
  page(depth: number): Exclude<Found, string> {
    const text = indexPage('../'.repeat(depth), this.#upToRoot)
    return { name: 'index.html', bytes: utf8(toldUnder(this.#naming, text)) }
  }

  file(name: string): Found {
    const shipped = files.get(name)
    if (shipped === undefined) return 'none'
    const gzip = this.#shipped.file(shipped)
    if (gzip === undefined) return { name, bytes: utf8(notBuilt(name)) }
    return { name, bytes: gzip, expanded: () => this.#expand(name, gzip) }
  }

  /** For clients that do not accept gzip: none of the browsers. */
  #expand(name: string, gzip: Uint8Array): Uint8Array {
    const bytes = this.#expanded.get(name) ?? concatBytes([...gunzipped(gzip)])
    this.#expanded.set(name, bytes)
    return bytes
  }
}

/** A program that runs from its sources may not have been built. */
function notBuilt(name: string): string {
  const text = 'The program was built without its web interface: run npm run build.'
  return name === 'app.js' ? `document.querySelector('#page').textContent = '${text}'\n` : `/* ${text} */\n`
}

/** The script fills it. It tells the script where the API is, from the content path, and under which name it runs. */
function indexPage(toContent: string, upToRoot: string): string {
  return `<!doctype html>
<html lang="en" data-name="svc" data-title="Svc" data-up="${upToRoot}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Svc</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${toContent}app.css">
<script src="${toContent}app.js" defer></script>
</head>
<body>
<div id="page"><noscript><p>This page needs JavaScript. The same information is available from <code>svc catalog</code> and the HTTP API.</p></noscript></div>
</body>
</html>
`
}
