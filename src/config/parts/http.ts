import type { AgentConfig } from '../../agent/settings/agent-config.ts'
import type { HttpConfig } from '../../agent/settings/http-settings.ts'
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
function uiOf({ ui, ui_dir: path = '' }: FileConfig, dev: boolean): AgentConfig['http']['ui'] {
  if (path !== '') return { kind: 'directory', path }
  return { kind: (ui ?? dev) ? 'built-in' : 'off' }
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
    UIDir: http.ui.kind === 'directory' ? http.ui.path : '',
  }
}
