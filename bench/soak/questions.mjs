/** The smaller work of a soak: names, leaves of the mesh, tokens, events, prepared queries. Each step leaves nothing behind. */
import { Resolver } from 'node:dns/promises'
import { agents } from './cluster.mjs'

/** Asks the agents for names over DNS. */
export class Names {
  #operations
  #resolvers

  constructor(cluster, operations) {
    this.#operations = operations
    this.#resolvers = agents.map((at) => {
      const resolver = new Resolver({ timeout: 2000, tries: 2 })
      resolver.setServers([cluster.dnsAddress(at)])
      return resolver
    })
  }

  async step() {
    const at = this.#operations.somewhere()
    await this.#operations.do('dns', at, async () => {
      try {
        const found = await this.#resolvers[at].resolve4('web.service.svc')
        return found.length > 0 ? undefined : 'no address'
      } catch (cause) {
        return `${cause.code} ${cause.message}`
      }
    })
  }
}

export class SmallWork {
  #operations
  #number = 0
  #made = 0

  constructor(operations) {
    this.#operations = operations
  }

  /** One kind after the other, at an agent drawn at random. */
  async step() {
    const kinds = [this.#leaf, this.#token, this.#event, this.#query, this.#leaf, this.#intention, this.#transaction]
    await kinds[this.#number++ % kinds.length].call(this, this.#operations.somewhere())
  }

  async #leaf(at) {
    await this.#operations.ask('leaf', at, 'GET', `/v1/agent/connect/ca/leaf/web-${this.#number % 3}`)
    await this.#operations.ask('roots', at, 'GET', '/v1/agent/connect/ca/roots')
  }

  /** A name that no try before had: a try whose answer was lost may have made something. */
  #next() {
    return `${this.#number}-${this.#made++}`
  }

  /** Makes something, and removes it. Returns what `then` found in the answer, or undefined where an announced restart cut it off. */
  async #make(kind, at, path, body, found) {
    let made
    const then = ({ text }) => {
      made = found(JSON.parse(text))
    }
    await this.#operations.ask(kind, at, path === '/v1/acl/token' ? 'PUT' : 'POST', path, body, { then })
    return made
  }

  async #token(at) {
    const body = { Description: `token ${this.#number}`, Policies: [{ Name: 'discovery' }] }
    const made = await this.#make('token create', at, '/v1/acl/token', body, (token) => token)
    if (made === undefined) return
    const options = { token: made.SecretID }
    await this.#operations.ask('token use', at, 'GET', '/v1/catalog/services', undefined, options)
    await this.#operations.ask('token delete', at, 'DELETE', `/v1/acl/token/${made.AccessorID}`)
  }

  async #event(at) {
    await this.#operations.ask('event', at, 'PUT', '/v1/event/fire/deploy', `event ${this.#number}`)
  }

  async #query(at) {
    const body = () => ({ Name: `query-${this.#next()}`, Service: { Service: 'web', OnlyPassing: true } })
    const id = await this.#make('query create', at, '/v1/query', body, ({ ID }) => ID)
    if (id === undefined) return
    await this.#operations.ask('query execute', at, 'GET', `/v1/query/${id}/execute`)
    await this.#operations.ask('query delete', at, 'DELETE', `/v1/query/${id}`)
  }

  async #intention(at) {
    const body = () => ({ SourceName: `caller-${this.#next()}`, DestinationName: 'web', Action: 'allow' })
    const id = await this.#make('intention create', at, '/v1/connect/intentions', body, ({ ID }) => ID)
    if (id !== undefined) await this.#operations.ask('intention delete', at, 'DELETE', `/v1/connect/intentions/${id}`)
  }

  /** Two keys that are written together. */
  async #transaction(at) {
    const Value = Buffer.from(`${this.#number}`).toString('base64')
    const body = ['a', 'b'].map((key) => ({ KV: { Verb: 'set', Key: `soak/both/${key}`, Value } }))
    await this.#operations.ask('transaction', at, 'PUT', '/v1/txn', body)
  }
}
