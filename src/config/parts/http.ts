import type { AgentConfig } from '../../agent/settings/agent-config.ts'
import { defaultContentPath, type HttpConfig } from '../../agent/settings/http-settings.ts'
import type { FileConfig } from '../schema.ts'
import type { Shown } from './values.ts'

export function httpOf(file: FileConfig, dev: boolean, defaults: AgentConfig): AgentConfig['http'] {
  return {
    naming: defaults.naming,
    aliases: file.aliases ?? defaults.http.aliases,
    responseHeaders: file.http_config?.response_headers ?? {},
    blockEndpoints: file.http_config?.block_endpoints ?? [],
    allowUnprintableCharacters: file.disable_http_unprintable_char_filter ?? false,
    pretty: dev,
    ui: uiOf(file, dev),
  }
}

/** A configured directory takes precedence over the built-in interface of `-dev`. */
function uiOf({ ui, ui_dir: path = '', ui_content_path: asked = '' }: FileConfig, dev: boolean): HttpConfig['ui'] {
  const contentPath = contentPathOf(asked)
  if (path !== '') return { kind: 'directory', path, contentPath }
  return (ui ?? dev) ? { kind: 'built-in', contentPath } : { kind: 'off' }
}

/** With a slash at both ends, whether they were written or not. */
function contentPathOf(text: string): string {
  const inner = text.replace(/^\/+|\/+$/g, '')
  return inner === '' ? defaultContentPath : `/${inner}/`
}

/** Whether the web interface can be served there: it must leave the API alone. */
export function isContentPath(text: string): boolean {
  const path = contentPathOf(text)
  return /^(\/[\w-]+)+\/$/.test(path) && !/^\/(v1|debug)\//.test(path)
}

/** As `/v1/agent/self` shows it. */
export function shownHttp(http: HttpConfig): Shown {
  return {
    Aliases: http.aliases,
    DisableHTTPUnprintableCharFilter: http.allowUnprintableCharacters,
    EnableUI: http.ui.kind !== 'off',
    HTTPBlockEndpoints: http.blockEndpoints,
    HTTPPretty: http.pretty,
    HTTPResponseHeaders: http.responseHeaders,
    UIContentPath: http.ui.kind === 'off' ? defaultContentPath : http.ui.contentPath,
    UIDir: http.ui.kind === 'directory' ? http.ui.path : '',
  }
}
