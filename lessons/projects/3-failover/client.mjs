/** Maximum number of requests for one operation. */
const triesMax = 60

/**
 * Settings that are kept as keys of a cluster. It promises:
 *
 * 1. `put` resolves only after a server has acknowledged the write. What `put` has acknowledged, `get` finds.
 * 2. While one of its agents does not answer, it asks the others.
 * 3. It tries again after an error, for a minute at least, so that an outage of half a minute is not seen.
 * 4. `next` resolves with the first value that is newer than the index, also if it was written while the client was
 *    changing from one agent to another.
 */
export class Settings {
  #fetch
  #wait
  #agents
  #at = 0

  /** `fetch(agent, path, init)` asks an agent; `wait(ms)` lets time pass; `agents` are the names of the agents. */
  constructor({ fetch, wait, agents }) {
    this.#fetch = fetch
    this.#wait = wait
    this.#agents = agents
  }

  async put(name, value) {
    const answer = await this.#ask(`/v1/kv/settings/${name}`, { method: 'PUT', body: value })
    if ((await answer.json()) !== true) throw new Error(`the setting ${name} was not written`)
  }

  /** The value; undefined if there is none. */
  async get(name) {
    return (await this.#read(name, '')).value
  }

  /** The value and its index, for `next`. */
  async current(name) {
    return await this.#read(name, '')
  }

  /** Waits until the setting is newer than this index; resolves with its value and its index. */
  async next(name, index) {
    for (;;) {
      const read = await this.#read(name, `?index=${index}&wait=10s`)
      if (read.index !== index) return read
    }
  }

  async #read(name, query) {
    const answer = await this.#ask(`/v1/kv/settings/${name}${query}`, {})
    const index = Number(answer.headers.get('X-Svc-Index'))
    if (answer.status === 404) return { value: undefined, index }
    const [entry] = await answer.json()
    return { value: Buffer.from(entry.Value ?? '', 'base64').toString(), index }
  }

  /** The first answer that is none of an outage. */
  async #ask(path, init) {
    let why
    for (let tries = 0; tries < triesMax; tries++) {
      try {
        const answer = await this.#fetch(this.#agents[this.#at], path, init)
        if (answer.status < 500) return answer
        why = await answer.text()
      } catch (cause) {
        why = String(cause)
      }
      this.#at = (this.#at + 1) % this.#agents.length
      await this.#wait(1_000)
    }
    throw new Error(`${path}: no agent answers: ${why}`)
  }
}
