import { parseDuration } from '../../base/duration.ts'
import { isInTrouble, msOfUtcText, whatToSeeTo } from '../authority-forecast.ts'
import type { AskedAgent } from './agent-facts.ts'
import type { Facts } from './facts.ts'
import { green, type Item, light } from './item.ts'

/** What only an agent itself reports: of servers that were not asked it is unknown. */

/** Servers that were not asked. */
function silent({ cluster, asked }: Facts): readonly string[] {
  return cluster.servers.map(({ name }) => name).filter((name) => asked.every((agent) => agent.name !== name))
}

/** What to do about servers that were not asked. */
export function askThem({ unasked }: Facts): string {
  if (unasked.length === 0) return 'name the HTTP address of each other server with -server'
  return 'start those that do not run, or give -server another address, or a token that may read them'
}

/** The item of a fact that every server must report: green only if every server was asked. */
function unlessSilent(facts: Facts, item: Item, lacking: readonly string[] = []): Item {
  const names = [...new Set([...silent(facts), ...lacking])]
  if (names.length === 0) return item
  return light(item.item, 'unknown', `${item.says}; unknown for ${names.join(', ')}`, askThem(facts))
}

function servers({ asked }: Facts): readonly AskedAgent[] {
  return asked.filter(({ isServer }) => isServer)
}

/** The mesh accepts this difference of clocks unless connect.clock_skew says otherwise. */
const skewMs = 60_000

/** Certificates and the times of log lines are compared with the clocks of other servers. */
export function clocks(facts: Facts): Item {
  const read = servers(facts).flatMap(({ name, clock }) => (clock.ok ? [{ name, ...clock.value }] : []))
  const lacking = servers(facts).flatMap(({ name, clock }) => (clock.ok ? [] : [name]))
  const [slowest, fastest] = [...read]
    .sort((a, b) => a.aheadMs - b.aheadMs)
    .flatMap((each, at, all) => {
      return at === 0 || at === all.length - 1 ? [each] : []
    })
  if (slowest === undefined) {
    const reasons = servers(facts).flatMap(({ clock }) => (clock.ok ? [] : [clock.error]))
    return light(
      'clocks',
      'unknown',
      `no server reports its clock: ${reasons[0] ?? 'none was asked'}`,
      'ask a server, with a token that has operator:read',
    )
  }
  if (fastest === undefined)
    return unlessSilent(facts, green('clocks', `only ${slowest.name} was asked for its clock`), lacking)
  const apartMs = fastest.aheadMs - slowest.aheadMs
  const surelyMs = Math.max(0, apartMs - fastest.errorMs - slowest.errorMs)
  const allowed = servers(facts).flatMap(({ settings }) => durationOf(settings['ConnectClockSkew']) ?? [])
  const limitMs = Math.min(skewMs, ...allowed)
  const what = `the clock of ${fastest.name} is ${secondsText(apartMs)} ahead of that of ${slowest.name}`
  const remedy = 'let a time service such as chrony set the clocks'
  if (surelyMs > limitMs)
    return light('clocks', 'red', `${what}, and the mesh refuses certificates beyond ${secondsText(limitMs)}`, remedy)
  if (surelyMs > limitMs / 4)
    return light('clocks', 'yellow', `${what}, of ${secondsText(limitMs)} that the mesh allows`, remedy)
  return unlessSilent(
    facts,
    green('clocks', `the clocks of ${read.length} servers agree within ${secondsText(Math.max(apartMs, 0))}`),
    lacking,
  )
}

function durationOf(value: unknown): number | undefined {
  const duration = typeof value === 'string' ? parseDuration(value) : undefined
  return duration?.ok === true ? duration.value : undefined
}

function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 9_950 ? 1 : 0)} s`
}

const syncSamples = ['.raft.leader.dispatchLog', '.raft.rpc.appendEntries.storeLogs'] as const
/** From here on the mean of a disk's syncs delays every write; and holds up heartbeats. */
const syncSlowMs = 50
const syncStuckMs = 500

/** How long appends to the log take, which end with a sync of the disk. */
export function diskSync(facts: Facts): Item {
  const read = servers(facts).flatMap(({ name, metrics }) => {
    const samples = metrics.ok ? metrics.value.Samples : []
    const syncs = samples.filter(({ Name }) => syncSamples.some((suffix) => Name.endsWith(suffix)))
    return syncs.length === 0
      ? []
      : [{ name, mean: Math.max(...syncs.map(({ Mean }) => Mean)), max: Math.max(...syncs.map(({ Max }) => Max)) }]
  })
  const lacking = servers(facts)
    .map(({ name }) => name)
    .filter((name) => read.every((each) => each.name !== name))
  if (read.length === 0)
    return light(
      'disk-sync',
      'unknown',
      'no server that was asked has written to its log within the last interval of metrics',
      'repeat the check, or name servers with -server',
    )
  const told = read
    .map(({ name, mean, max }) => `${name} ${mean.toFixed(1)} ms, at most ${max.toFixed(0)} ms`)
    .join('; ')
  const slowest = Math.max(...read.map(({ mean }) => mean))
  const remedy = 'give the servers a disk of their own whose sync is fast'
  if (slowest > syncStuckMs)
    return light('disk-sync', 'red', `writes wait for disks that hardly answer: ${told}`, remedy)
  if (slowest > syncSlowMs) return light('disk-sync', 'yellow', `every write waits for slow disks: ${told}`, remedy)
  return unlessSilent(facts, green('disk-sync', `the log is on disk after ${told}`), lacking)
}

const dayMs = 86_400_000
const certificateSoonMs = 30 * dayMs
const certificateAtOnceMs = 3 * dayMs

/** Certificates of agents, from their files. */
export function certificates(facts: Facts, nowMs: number): Item {
  const held = facts.asked.flatMap(({ name, stats }) => {
    const expires = stats['tls']?.['certificate_expires']
    return expires === undefined ? [] : [{ name, expires, leftMs: msOfUtcText(expires) - nowMs }]
  })
  const unread = held.filter(({ leftMs }) => Number.isNaN(leftMs)).map(({ name }) => name)
  const soon = held.filter(({ leftMs }) => leftMs < certificateSoonMs).sort((a, b) => a.leftMs - b.leftMs)
  const remedy = 'replace cert_file and key_file, and reload the agents'
  if (soon[0] !== undefined) {
    const what = soon
      .map(({ name, expires, leftMs }) => `that of ${name} ${leftMs <= 0 ? 'expired' : 'expires'} at ${expires}`)
      .join(', ')
    return light(
      'certificates',
      soon[0].leftMs < certificateAtOnceMs ? 'red' : 'yellow',
      `agents with an expired certificate are cut off: ${what}`,
      remedy,
    )
  }
  if (unread.length > 0)
    return light(
      'certificates',
      'unknown',
      `the certificate of ${unread.join(', ')} cannot be read`,
      'look at cert_file: openssl x509 -enddate',
    )
  const first = [...held].sort((a, b) => a.leftMs - b.leftMs)[0]
  const says =
    first === undefined
      ? 'no agent that was asked has a certificate of its own'
      : `the first certificate expires at ${first.expires}, that of ${first.name}`
  return unlessSilent(facts, green('certificates', says))
}

export function meshCertificates({ forecast, asked }: Facts): Item {
  if (!forecast.ok) {
    if (asked.some(({ settings }) => settings['ConnectEnabled'] === false)) return green('mesh', 'the mesh is off')
    return light(
      'mesh',
      'unknown',
      `the certificate authority cannot be read: ${forecast.error}`,
      'ask with a token that has operator:read',
    )
  }
  const seen = whatToSeeTo(forecast.value)
  const remedy = 'see svc connect ca forecast'
  if (isInTrouble(forecast.value))
    return light('mesh', 'red', `the authority does not work, and leaves are not renewed: ${seen.join('; ')}`, remedy)
  if (seen.length > 0) return light('mesh', 'yellow', seen.join('; '), remedy)
  const active = forecast.value.Roots.find(({ Active }) => Active)
  return green(
    'mesh',
    `leaves are issued until ${forecast.value.LeafExpires}, and the active root holds until ${active?.Expires ?? '?'}`,
  )
}
