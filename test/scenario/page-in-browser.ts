import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** Chromium, at Debian's place and where others put it; undefined: there is none, and tests that need it skip. */
export const chromiumProgram = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
)

/** What a page shows: the overview, and the pieces of its events. */
export function filmIn(html: string): readonly unknown[] {
  const packed = readFileSync(html, 'utf8').matchAll(/<script type="text\/plain" [^>]*>([^<]*)</g)
  return [...packed].map(([, text = '']) => JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString()))
}
