import { utf8 } from '../../base/bytes.ts'
import type { Found } from './directory.ts'
import { page } from './page.ts'
import { script } from './script.ts'
import { style } from './style.ts'

/** Nothing from elsewhere, nothing inline, in no frame of another page; the page sends requests only to its own agent. CSP 3. */
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

/** A file of the interface that comes with the program. */
export function builtInFile(name: string): Found {
  return Object.hasOwn(files, name) ? { name, bytes: utf8(files[name as keyof typeof files]) } : 'none'
}
