import type { SyslogPlace, SyslogSettings } from '../../agent/settings/log-settings.ts'
import { nearest } from '../../base/edit-distance.ts'
import { endpointText } from '../../env/net.ts'
import type { FileConfig } from '../schema.ts'
import { type Report, receiverOf, type Shown } from './values.ts'

/**
 * Names of facilities in the order of their numbers; those without a name have none in the field. Source: RFC 3164,
 * 4.1.1.
 */
const facilities = [
  'KERN',
  'USER',
  'MAIL',
  'DAEMON',
  'AUTH',
  'SYSLOG',
  'LPR',
  'NEWS',
  'UUCP',
  'CRON',
  'AUTHPRIV',
  'FTP',
]
const locals = ['LOCAL0', 'LOCAL1', 'LOCAL2', 'LOCAL3', 'LOCAL4', 'LOCAL5', 'LOCAL6', 'LOCAL7']
const firstLocal = 16
const numbers: ReadonlyMap<string, number> = new Map([
  ...facilities.map((name, at) => [name, at] as const),
  ...locals.map((name, at) => [name, firstLocal + at] as const),
])

const usualFacility = 'LOCAL0'

/** Source: RFC 3164, section 2. */
const syslogPort = 514

/**
 * Without `enable_syslog` the other settings of syslog are not validated. Reference: configuration.md#key-enable_syslog.
 */
export function syslogOf(file: FileConfig, tag: string, problem: Report): SyslogSettings | undefined {
  if (file.enable_syslog !== true) return undefined
  const facility = facilityOf(file.syslog_facility ?? usualFacility, problem)
  const to = placeOf(file.syslog_address ?? '', problem)
  return facility === undefined || to === undefined ? undefined : { tag, facility, to }
}

/** The name of a facility; `LOCAL0` is the default. */
function facilityName(number: number | undefined): string {
  return [...numbers].find(([, each]) => each === number)?.[0] ?? usualFacility
}

function facilityOf(written: string, problem: Report): number | undefined {
  const name = written.toUpperCase()
  const number = numbers.get(name)
  if (number !== undefined) return number
  const meant = nearest(name, [...numbers.keys()])
  const remedy = meant === undefined ? 'write one such as DAEMON, USER or LOCAL0' : `did you mean '${meant}'?`
  problem(`syslog_facility "${written}": invalid syslog facility`, remedy, 'syslog_facility')
  return undefined
}

function placeOf(written: string, problem: Report): SyslogPlace | undefined {
  if (written === '') return { kind: 'local', path: undefined }
  const path = written.startsWith('/') ? written : /^unix:\/\/(\/.+)$/.exec(written)?.[1]
  if (path !== undefined) return { kind: 'local', path }
  const at = receiverOf('syslog_address', written, problem, syslogPort)
  return at && { kind: 'udp', at }
}

/** The settings as `/v1/agent/self` shows them. */
export function shownSyslog(syslog: SyslogSettings | undefined): Shown {
  const to = syslog?.to
  return {
    EnableSyslog: syslog !== undefined,
    SyslogFacility: facilityName(syslog?.facility),
    SyslogAddress: to?.kind === 'udp' ? endpointText(to.at) : (to?.path ?? ''),
  }
}
