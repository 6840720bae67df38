import { z } from 'zod'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import { pause } from '../../../src/model/pause.ts'
import { httpEndpoint } from '../../cluster/node-identity.ts'
import { savedNameField, selector, template } from '../../notation/fields.ts'
import { tokenHeaders } from '../../workload/key-client.ts'
import { answerWith, filled } from '../answers.ts'
import { type StepRun, step } from './step.ts'

const wanted = z
  .strictObject({
    at: selector.describe('The node that receives the requests.'),
    count: z.int().min(1).max(100_000).default(1),
    rules: z.string().describe('Rules of each token; # is its number, from 0.'),
    api: z.enum(['old', 'new']).default('new').describe('old: the token system of releases before 1.4.0.'),
    with: template.describe('The token with which they are created.'),
    save: savedNameField.describe(`Saves their secrets: \${name.body.0} is the first.`),
  })
  .describe('Creates tokens, each with rules of its own. Failures without a leader are retried.')

type Wanted = z.output<typeof wanted>

/** Maximum number of tokens that are created concurrently. */
const parallel = 64
/** Pause before a failed creation is retried, and the maximum number of attempts. */
const pauseMs = 200
const triesMax = 100
const answerWithinMs = 10_000
/** Time limit for all of them. */
const withinMs = 300_000

/** Creates tokens, each with its own rules, and keeps their secrets like an answer whose body lists them. */
async function performTokens(run: StepRun, wanted: Wanted, path: readonly PropertyKey[]): Promise<void> {
  const at = run.select(wanted.at)[0]
  if (at === undefined) return run.fail([...path, 'tokens'], `'${wanted.at.text}' matches no node now`)
  const to = httpEndpoint(run.cluster.identityOf(at))
  const made = await run.driver.perform(run, withinMs, (env) =>
    new TokenMaker(env, to, filled(run, wanted.with), wanted).make(),
  )
  if (run.hasFailed()) return
  if (made === undefined || typeof made === 'string') {
    return run.fail([...path, 'tokens'], made ?? `not all tokens were created within ${withinMs / 1000}s`)
  }
  run.driver.answers.set(wanted.save, answerWith(200, utf8(JSON.stringify(made)), new Map()))
  run.tell('note', `${wanted.save}: ${made.length} tokens`)
}

/** Creates many tokens through an agent, some at a time. */
export class TokenMaker {
  readonly #env: Env
  readonly #to: Endpoint
  readonly #token: string
  readonly #wanted: Wanted
  readonly #secrets: string[] = []
  #next = 0
  #problem: string | undefined

  constructor(env: Env, to: Endpoint, token: string, wanted: Wanted) {
    this.#env = env
    this.#to = to
    this.#token = token
    this.#wanted = wanted
  }

  /** Their secrets, or why one could not be created. */
  async make(): Promise<readonly string[] | string> {
    await Promise.all(Array.from({ length: parallel }, () => this.#makeSome()))
    return this.#problem ?? this.#secrets
  }

  async #makeSome(): Promise<void> {
    while (this.#next < this.#wanted.count && this.#problem === undefined) {
      const number = this.#next++
      const rules = this.#wanted.rules.replaceAll('#', String(number))
      const name = `${this.#wanted.save.replaceAll(' ', '-')}-${number}`
      this.#secrets[number] = await (this.#wanted.api === 'old' ? this.#old(name, rules) : this.#new(name, rules))
    }
  }

  /** Uses an ID of our own, so that a token whose answer was lost is not created twice. */
  async #old(name: string, rules: string): Promise<string> {
    await this.#put('/v1/acl/create', { ID: name, Name: name, Type: 'client', Rules: rules })
    return name
  }

  async #new(name: string, rules: string): Promise<string> {
    await this.#put('/v1/acl/policy', { Name: name, Rules: rules }, /already exists/)
    const made = await this.#put('/v1/acl/token', { Description: name, Policies: [{ Name: name }] })
    return made === '' ? '' : (JSON.parse(made) as { readonly SecretID: string }).SecretID
  }

  /**
   * The body of the answer; empty if there is none, which is then reported. `done` matches a refusal that counts as
   * success.
   */
  async #put(target: string, body: object, done?: RegExp): Promise<string> {
    let last = 'no answer'
    for (let tries = 0; tries < triesMax; tries++) {
      const asked = { method: 'PUT', target, timeoutMs: answerWithinMs, headers: tokenHeaders(this.#token) }
      const answer = await this.#env.http.request(this.#to, { ...asked, body: utf8(JSON.stringify(body)) })
      if (answer.ok) {
        const text = textOf(answer.value.body)
        if (answer.value.status === 200) return text
        if (done?.test(text) === true) return ''
        last = `status ${answer.value.status}, ${text.trim()}`
        if (answer.value.status < 500) break
      }
      await pause(this.#env, pauseMs)
    }
    this.#problem ??= `PUT ${target}: ${last}`
    return ''
  }
}

export const tokens = step(wanted, performTokens, ({ save }) => [save])
