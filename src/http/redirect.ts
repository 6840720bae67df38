import type { HttpResponse } from '../env/http.ts'
import { encodeTarget } from './target.ts'

/** 301 to a decoded path, with the small page that the field's servers send in answer to a GET. */
export function redirect(
  method: string,
  path: string,
  rawQuery: string,
  common: readonly (readonly [string, string])[],
): HttpResponse {
  const location = encodeTarget(path, rawQuery)
  const headers: (readonly [string, string])[] = [...common, ['Location', location]]
  if (method === 'GET' || method === 'HEAD') headers.push(['Content-Type', 'text/html; charset=utf-8'])
  const body = method === 'GET' ? `<a href="${htmlEscaped(location)}">Moved Permanently</a>.\n\n` : ''
  return { status: 301, headers, body }
}

function htmlEscaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&#34;')
    .replaceAll("'", '&#39;')
}
