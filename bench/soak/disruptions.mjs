/**
 * What is done to the cluster of a soak, one thing after the other: agents are killed, stopped, paused and told to leave,
 * configurations reloaded, keys of gossip and roots of the mesh replaced, backups taken. In the first quarter this meets
 * every agent. After that s1 and c1 are no longer restarted, so that a leak in them has hours in which to show.
 */
import { randomBytes } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pause } from '../children.mjs'
import { agents, nameOf } from './cluster.mjs'

/** Agents that run through from the end of the first quarter. */
const lasting = [0, 3]
const pauseMs = 3000
/** Requests that an agent forwarded when it came back may still find its old connections. */
const settleMs = 1000

export class Disruptions {
  #cluster
  #operations
  #record
  #folder
  #kinds = [
    ['kill', () => this.#restart((at) => this.#cluster.kill(at))],
    ['reload', () => this.#reload()],
    ['gossip key', () => this.#replaceGossipKey()],
    ['leave', () => this.#restart((at) => this.#leave(at))],
    ['pause of the leader', () => this.#pauseLeader()],
    ['mesh root', () => this.#rotateRoot()],
    ['stop', () => this.#restart((at) => this.#cluster.kill(at, 'SIGTERM'))],
    ['backup', () => this.#backup()],
  ]
  #next = 0
  #victim = 0
  #isFirstQuarter = true

  constructor(cluster, operations, record, folder) {
    this.#cluster = cluster
    this.#operations = operations
    this.#record = record
    this.#folder = folder
  }

  endFirstQuarter() {
    this.#isFirstQuarter = false
  }

  async step() {
    const [kind, act] = this.#kinds[this.#next++ % this.#kinds.length]
    const fromS = this.#record.atS
    try {
      const agent = await act()
      this.#record.write('disruption', { kind, ...(agent === undefined ? {} : { agent }), fromS })
    } catch (cause) {
      this.#record.violation(`${kind}: ${cause.message}`)
    }
  }

  #nextVictim() {
    const all = this.#isFirstQuarter ? agents : agents.filter((at) => !lasting.includes(at))
    return all[this.#victim++ % all.length]
  }

  /** An agent is away for some seconds. Returns its name when it is ready again. */
  async #restart(end) {
    const at = this.#nextVictim()
    this.#cluster.announce(at)
    await end(at)
    await pause(2000 + Math.random() * 6000)
    this.#cluster.start(at)
    await this.#cluster.ready(at)
    await pause(settleMs)
    this.#cluster.back(at)
    return nameOf(at)
  }

  async #leave(at) {
    const ended = this.#cluster.ended(at)
    const { status, text } = await this.#cluster.call(at, 'PUT', '/v1/agent/leave', undefined, { timeoutMs: 60_000 })
    if (status !== 200 && status !== 0) throw new Error(`leave: ${status} ${text}`)
    await ended
  }

  /** The leader stands still for longer than its lease, so it steps down when it goes on; another may lead by then. */
  async #pauseLeader() {
    const at = await this.#cluster.leaderAt()
    this.#cluster.announce(at)
    this.#cluster.process(at).kill('SIGSTOP')
    await pause(pauseMs)
    this.#cluster.process(at).kill('SIGCONT')
    await this.#cluster.ready(at)
    await pause(settleMs)
    this.#cluster.back(at)
    return nameOf(at)
  }

  /** By signal and by command in turns; a service of the file must show the new configuration. */
  async #reload() {
    for (const at of agents) {
      const port = this.#cluster.reconfigure(at)
      if (at % 2 === 0) this.#cluster.process(at).kill('SIGHUP')
      else await this.#succeeds(this.#cluster.command(at, 'reload'))
      const then = ({ text }) => {
        const has = JSON.parse(text)['from-file']?.Port
        return has === port ? undefined : `the service has port ${has}, not ${port}`
      }
      await this.#operations.ask('reload', at, 'GET', '/v1/agent/services', undefined, { then })
    }
  }

  async #succeeds(command) {
    const why = await command
    if (why !== undefined) throw new Error(why)
  }

  async #replaceGossipKey() {
    const [old, fresh] = [this.#cluster.gossipKey, randomBytes(16).toString('base64')]
    for (const [method, Key] of [
      ['POST', fresh],
      ['PUT', fresh],
      ['DELETE', old],
    ]) {
      const at = this.#operations.somewhere()
      await this.#operations.ask('keyring', at, method, '/v1/operator/keyring?relay-factor=2', { Key })
    }
    this.#cluster.gossipKey = fresh
  }

  async #rotateRoot() {
    const config = { LeafCertTTL: '1h', PrivateKeyType: 'ec', PrivateKeyBits: this.#next % 16 === 6 ? 384 : 256 }
    const at = this.#operations.somewhere()
    const body = { Provider: 'svc', Config: config }
    await this.#operations.ask('mesh root', at, 'PUT', '/v1/connect/ca/configuration', body)
  }

  async #backup() {
    const at = this.#operations.somewhere()
    const file = join(this.#folder, 'backup.snap')
    rmSync(file, { force: true })
    await this.#succeeds(this.#cluster.command(at, 'snapshot', 'save', file))
    await this.#succeeds(this.#cluster.command(at, 'snapshot', 'inspect', file))
    this.#record.write('backup', { bytes: statSync(file).size })
  }
}
