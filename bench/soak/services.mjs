/** Services and checks that come and go, at the agents themselves and in the catalog, and what was acknowledged of them. */
import { nameOf } from './cluster.mjs'

const slots = 8
const nodes = 10

/** Registers services at one agent, and knows what the agent acknowledged. */
export class Registrar {
  #operations
  #at
  #known = new Map()
  #doubtful = new Set()

  constructor(at, operations) {
    this.#at = at
    this.#operations = operations
  }

  async step() {
    if (this.#operations.isAway(this.#at)) return
    const id = `churn-${Math.floor(Math.random() * slots)}`
    const chance = Math.random()
    if (this.#known.has(id) && chance < 0.5) await this.#report(id, chance < 0.1 ? 'warning' : 'passing')
    else if (this.#known.has(id) && chance < 0.75) await this.#deregister(id)
    else await this.#register(id)
  }

  #ask(kind, path, body) {
    return this.#operations.ask(kind, this.#at, 'PUT', path, body)
  }

  #report(id, Status) {
    return this.#ask('check update', `/v1/agent/check/update/service:${id}`, { Status, Output: `at ${Date.now()}` })
  }

  async #register(id) {
    const Port = 10_000 + Math.floor(Math.random() * 1000)
    const Check = { TTL: '60s', Status: 'passing' }
    const body = { ID: id, Name: 'churn', Port, Tags: ['v1'], Meta: { version: `${Port}` }, Check }
    this.#settle(id, await this.#ask('service register', '/v1/agent/service/register', body), Port)
  }

  async #deregister(id) {
    this.#settle(id, await this.#ask('service deregister', `/v1/agent/service/deregister/${id}`), undefined)
  }

  #settle(id, isDone, port) {
    if (isDone) this.#doubtful.delete(id)
    else this.#doubtful.add(id)
    if (isDone && port !== undefined) this.#known.set(id, port)
    else this.#known.delete(id)
  }

  /** The agent and the catalog have what was acknowledged, and nothing else. Returns what is wrong, or undefined. */
  async difference() {
    const own = await this.#operations.call(this.#at, 'GET', '/v1/agent/services')
    const listed = await this.#operations.call(this.#at, 'GET', `/v1/catalog/node/${nameOf(this.#at)}?consistent`)
    if (own.status !== 200 || listed.status !== 200) return `${own.status}, ${listed.status}`
    const known = this.#text([...this.#known])
    const places = { agent: JSON.parse(own.text), catalog: JSON.parse(listed.text).Services }
    for (const [place, services] of Object.entries(places)) {
      const here = this.#text(Object.values(services).map(({ ID, Port }) => [ID, Port]))
      if (here !== known) return `of ${nameOf(this.#at)} the ${place} has ${here}; acknowledged was ${known}`
    }
    return undefined
  }

  #text(pairs) {
    const judged = pairs.filter(([id]) => id.startsWith('churn-') && !this.#doubtful.has(id))
    return judged
      .map(([id, port]) => `${id}:${port}`)
      .sort()
      .join(' ')
  }
}

/** Nodes without an agent, which come and go in the catalog. */
export class ExternalNodes {
  #operations
  #next = 0

  constructor(operations) {
    this.#operations = operations
  }

  async step() {
    const number = this.#next++
    const Node = `external-${number % nodes}`
    const at = this.#operations.somewhere()
    const isGone = Math.floor(number / nodes) % 3 === 2
    if (isGone) return this.#operations.ask('catalog deregister', at, 'PUT', '/v1/catalog/deregister', { Node })
    const Check = {
      CheckID: 'alive',
      Name: 'alive',
      Status: number % 2 === 0 ? 'passing' : 'critical',
      ServiceID: 'db',
    }
    const body = { Node, Address: `10.0.0.${number % nodes}`, Service: { Service: 'db', Port: 5432 }, Check }
    return this.#operations.ask('catalog register', at, 'PUT', '/v1/catalog/register', body)
  }
}
