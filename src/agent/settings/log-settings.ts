import type { LogPlaces } from '../../env/terminal.ts'

/** What is said of the agent's process: its log, and who it is. */
export interface LogSettings {
  readonly log: LogPlaces
  readonly logLevel: 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERR'
  /** Holds the number of the process while it runs; empty: none does. */
  readonly pidFile: string
}

/** Reference: configuration 3; telemetry, LOG-6. */
export const defaultLog: LogSettings = {
  log: { json: false, file: '', rotateBytes: 0, rotateMs: 24 * 3_600_000, oldFilesMax: 0 },
  logLevel: 'INFO',
  pidFile: '',
}
