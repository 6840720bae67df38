import { invariant } from '../../src/base/invariant.ts'
import type { Env } from '../../src/env/env.ts'
import type { HttpListener } from '../../src/env/http.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { SecretsManager } from './secrets-manager.ts'
import { callsOf, done, faultOf, type Trouble } from './troubles.ts'

/** Name of its machine. */
const managerName = 'secrets-manager'
const port = 8200
const slowMs = 7_000
/** Names of roots that steps may use: mounts `NAME-root` and `NAME-intermediate`. */
export const rootNames = ['one', 'two', 'three', 'four', 'five', 'six'] as const

/** A token in the form of one, that an operator gives by mistake: the secrets manager has not created it. */
export const wrongToken = 'AnotherTokenThatTheSecretsManagerNeverCreated0123'

/** Lifetimes in milliseconds; 0: without end. */
export const tokenTerms = {
  'an hour': { ms: 3_600_000, isRenewable: true, text: 'each renewal resets it' },
  '90 seconds': { ms: 90_000, isRenewable: true, text: 'each renewal resets it' },
  'for once': { ms: 100_000, isRenewable: false, text: 'it ends after 100 seconds, and cannot be renewed' },
  'without end': { ms: 0, isRenewable: false, text: 'as a root token, which is not renewed' },
} as const

export type TokenTerms = keyof typeof tokenTerms

export interface ManagerPlan {
  readonly host: string
  readonly token: string
  readonly terms: TokenTerms
  /** Names of roots whose mounts exist from the beginning. */
  readonly mounted: readonly string[]
}

interface Running {
  readonly env: Env
  readonly manager: SecretsManager
  listener: HttpListener | undefined
}

/** The machine of a run's external secrets manager, if it has one. */
export class ManagerMachine {
  readonly host: string
  readonly token: string
  readonly #plan: ManagerPlan
  #running: Running | undefined
  #suffers: readonly { readonly trouble: Trouble; readonly putBack: () => void }[] = []

  constructor(plan: ManagerPlan) {
    this.host = plan.host
    this.token = plan.token
    this.#plan = plan
  }

  join(simulation: Simulation): void {
    simulation.addNode({ name: managerName, host: this.host }).boot(async (env: Env) => {
      const manager = new SecretsManager(env)
      for (const name of this.#plan.mounted) for (const path of mountsOf(name)) manager.mount(path)
      const running = { env, manager, listener: undefined }
      this.#grant(running, this.#plan.terms)
      await this.#listen(running)
      this.#running = running
    })
  }

  /** The options of a configuration whose root has this name. */
  optionsOf(name: string): Readonly<Record<string, string>> {
    return {
      Address: `http://${this.host}:${port}`,
      Token: this.token,
      RootPKIPath: `${name}-root`,
      IntermediatePKIPath: `${name}-intermediate`,
    }
  }

  /** Begins a trouble, which lasts until the returned function is called; several may last at the same time. */
  suffer(trouble: Trouble): () => void {
    const running = this.#running
    const putBack = running === undefined ? () => {} : done(running.env, running.manager, rootNames, trouble)
    const one = { trouble, putBack }
    this.#suffers = [...this.#suffers, one]
    this.#apply()
    return () => {
      if (!this.#suffers.includes(one)) return
      this.#suffers = this.#suffers.filter((each) => each !== one)
      one.putBack()
      this.#apply()
    }
  }

  /**
   * All troubles end, and the token lives long enough for the rest of the run. The wrong one is created as well: while
   * an authority is blocked, or its secrets manager does not answer, it may have been stored.
   */
  recover(): void {
    // Latest first: what another trouble found is put back after what it did.
    for (const { putBack } of [...this.#suffers].reverse()) putBack()
    this.#suffers = []
    this.#apply()
    const { terms } = this.#plan
    const lasting = terms === 'without end' ? terms : 'an hour'
    if (this.#running === undefined) return
    this.#grant(this.#running, lasting)
    this.#grant(this.#running, lasting, wrongToken)
  }

  #apply(): void {
    const running = this.#running
    if (running === undefined) return
    const { manager } = running
    const has = (trouble: Trouble): boolean => this.#suffers.some((each) => each.trouble === trouble)
    manager.state = has('uninitialised') ? 'uninitialised' : has('sealed') ? 'sealed' : 'active'
    manager.faults.clear()
    for (const { trouble } of this.#suffers) {
      const kind = faultOf[trouble]
      if (kind === undefined) continue
      for (const call of callsOf[trouble] ?? [''])
        manager.faults.add({ kind, times: Number.POSITIVE_INFINITY, call, delayMs: slowMs })
    }
    if (has('rid of its token')) manager.tokens.revoke(this.token)
    else if (manager.tokens.find(this.token) === undefined) this.#grant(running, this.#plan.terms)
    if (has('down')) this.#deafen(running)
    else if (running.listener === undefined) running.env.detach(this.#listen(running))
  }

  #grant({ manager }: Running, terms: TokenTerms, id = this.token): void {
    const { ms, isRenewable: renewable } = tokenTerms[terms]
    const ttl = ms / 1000
    const mounts = rootNames.flatMap(mountsOf)
    manager.tokens.add({ id, ttl, ...(renewable ? { period: ttl } : {}), renewable, mounts, sudo: true })
  }

  #deafen(running: Running): void {
    running.listener?.close()
    running.listener = undefined
  }

  async #listen(running: Running): Promise<void> {
    const listener = await running.manager.serve({ host: this.host, port })
    invariant(listener.ok, 'nothing else has its port')
    running.listener = listener.value
  }
}

function mountsOf(name: string): readonly string[] {
  return [`${name}-root`, `${name}-intermediate`]
}
