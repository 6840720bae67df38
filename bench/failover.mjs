/**
 * How long writes wait when the leader is killed: `node bench/failover.mjs [kills] [raft_multiplier …]`, after a build;
 * and when its host is lost: `LOST=adaptive` or `LOST=fixed`, the setting of `leader_detection`.
 * Three real servers on 127.0.0.1 to 127.0.0.3, each a process with a data directory of its own; 100 writes a second,
 * sent on time whatever becomes of those before, to the two that are not the leader; then `kill -9` of the leader, or
 * `kill -STOP`, after which no connection is reset.
 * Measured is the time from the kill to the first acknowledgement of a write that was sent after it. Prints it for each
 * kill, then median, p99 (of few kills: the worst) and how long any of the writes of two seconds around the kill waited.
 */
import { cpus } from 'node:os'
import { closeConnections, Servers } from './agents.mjs'
import { endAll, pause } from './children.mjs'
import { printLoad } from './figures.mjs'

const [kills = 20, ...multipliers] = process.argv.slice(2).map(Number)
const writesEachMs = 10
/** The setting of servers whose leader's host is lost; undefined: its process is killed. */
const lost = process.env['LOST']
/** Until the followers know how regularly they hear their leader, at a multiplier of 1. */
const knownMs = 5_000

/** Writes at a steady pace, at two servers in turn; each write knows when it was sent and acknowledged. */
class Load {
  writes = []
  #timer

  constructor(servers, hosts, round) {
    let n = 0
    this.#timer = setInterval(() => {
      const write = { sentMs: performance.now(), ackedMs: undefined }
      this.writes.push(write)
      const at = hosts[n % hosts.length]
      void servers.ask(at, 'PUT', `/v1/kv/k/${round}/${n++}`, 'some value').then(({ text }) => {
        if (text === 'true') write.ackedMs = performance.now()
      })
    }, writesEachMs)
  }

  stop() {
    clearInterval(this.#timer)
  }
}

/** Milliseconds from the kill to the first acknowledgement of a write sent after it, and the longest wait of any write. */
async function killOnce(servers, round, multiplier) {
  const leader = await servers.leader()
  const hosts = [0, 1, 2].filter((at) => at !== leader)
  if (lost !== undefined) await pause(knownMs * multiplier)
  const load = new Load(servers, hosts, round)
  await pause(1000 + Math.random() * 200)
  const killedMs = performance.now()
  if (lost === undefined) void servers.kill(leader)
  else servers.freeze(leader)
  const firstAck = () => {
    const acks = load.writes.filter(({ sentMs, ackedMs }) => sentMs > killedMs && ackedMs !== undefined)
    return acks.length === 0 ? undefined : Math.min(...acks.map(({ ackedMs }) => ackedMs))
  }
  const deadlineMs = killedMs + 60_000
  while (firstAck() === undefined && performance.now() < deadlineMs) await pause(5)
  const ackMs = firstAck()
  await pause(1000)
  load.stop()
  await pause(500)
  if (lost !== undefined) await servers.kill(leader)
  servers.start(leader)
  const waits = load.writes.map(({ sentMs, ackedMs }) => (ackedMs ?? Number.POSITIVE_INFINITY) - sentMs)
  const failed = waits.filter((wait) => wait === Number.POSITIVE_INFINITY).length
  const longest = Math.max(...waits.filter((wait) => wait !== Number.POSITIVE_INFINITY))
  await pause(1000)
  return { firstMs: (ackMs ?? Number.POSITIVE_INFINITY) - killedMs, longest, failed, sent: waits.length }
}

function quantile(sorted, share) {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
}

printLoad(`; ${kills} kills each; Node ${process.version}, ${cpus().length} cores`)
for (const multiplier of multipliers.length > 0 ? multipliers : [1, 5]) {
  const servers = await Servers.create(3, {
    performance: { raft_multiplier: multiplier, ...(lost === undefined ? {} : { leader_detection: lost }) },
  })
  try {
    for (const at of [0, 1, 2]) servers.start(at)
    const outcomes = []
    for (let round = 0; round < kills; round++) {
      const outcome = await killOnce(servers, round, multiplier)
      outcomes.push(outcome)
      const { firstMs, longest, failed, sent } = outcome
      console.log(
        `  raft_multiplier ${multiplier}, kill ${round + 1}: ${firstMs.toFixed(0)} ms; longest wait of a write ${longest.toFixed(0)} ms; ${failed} of ${sent} not acknowledged`,
      )
    }
    const sorted = outcomes.map(({ firstMs }) => firstMs).sort((a, b) => a - b)
    const lost = outcomes.reduce((sum, { failed }) => sum + failed, 0)
    const figure = (share) => quantile(sorted, share).toFixed(0)
    console.log(
      `raft_multiplier ${multiplier}: median ${figure(0.5)} ms, p99 ${figure(0.99)} ms, least ${figure(0)} ms; ${lost} writes not acknowledged`,
    )
  } finally {
    await servers.killAll()
  }
}
closeConnections()
printLoad('')
endAll()
