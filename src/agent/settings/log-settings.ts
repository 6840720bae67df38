import type { Endpoint } from '../../env/net.ts'
import type { LogLevel } from '../../env/observe.ts'
import type { LogPlaces } from '../../env/terminal.ts'

/** Settings of the agent's process: its log and its PID file. */
export interface LogSettings {
  readonly log: LogPlaces
  readonly logLevel: 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERR'
  /** Undefined: the agent does not log to syslog. */
  readonly syslog: SyslogSettings | undefined
  /** File with the process ID while it runs; empty: none. */
  readonly pidFile: string
}

export interface SyslogSettings {
  /** The name of the program in each line. */
  readonly tag: string
  /** Number of the facility in RFC 3164; LOCAL0 is 16. */
  readonly facility: number
  readonly to: SyslogPlace
}

/** A socket of this machine, by its path or the usual one, or a daemon that listens on UDP. */
export type SyslogPlace =
  | { readonly kind: 'local'; readonly path: string | undefined }
  /** The host may be a name. */
  | { readonly kind: 'udp'; readonly at: Endpoint }

/** Levels by the names of the settings. */
export const levelNamed: Readonly<Record<LogSettings['logLevel'], LogLevel>> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERR: 'error',
}

/** Reference: configuration.md#key-log_file, configuration.md#key-log_rotate_bytes, telemetry.md#log-6. */
export const defaultLog: Omit<LogSettings, 'log'> & { readonly log: Omit<LogPlaces, 'product'> } = {
  log: { json: false, file: '', rotateBytes: 0, rotateMs: 24 * 3_600_000, oldFilesMax: 0 },
  logLevel: 'INFO',
  syslog: undefined,
  pidFile: '',
}
