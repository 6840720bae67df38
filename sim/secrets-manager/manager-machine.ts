import { invariant } from '../../src/base/invariant.ts'
import type { Env } from '../../src/env/env.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { SecretsManager } from './secrets-manager.ts'

/** Its troubles, and their effects seen from outside. */
export const troubles = {
  sealed: 'answers 503, as after a restart, until somebody unseals it',
  uninitialised: 'was never set up',
  silent: 'does what it is asked, and never answers',
  slow: 'answers seven seconds late',
  failing: 'answers 500',
  'without active node': 'is a standby that knows no active node',
  denying: 'answers 403',
  'half spoken': 'breaks its answers off in the middle',
  'wrongly chained': 'names another issuer than the one that signed',
} as const

export type Trouble = keyof typeof troubles

const faultOf = {
  silent: 'silent',
  slow: 'slow',
  failing: 'broken',
  'without active node': 'no-active-node',
  denying: 'denied',
  'half spoken': 'half',
  'wrongly chained': 'wrong-chain',
} as const

/** Name of its machine. */
const managerName = 'secrets-manager'
const port = 8200
const slowMs = 7_000
/** Names of roots that steps may use: mounts `NAME-root` and `NAME-intermediate`. */
const names = ['one', 'two', 'three', 'four', 'five', 'six']

/** The machine of a run's external secrets manager, if it has one. */
export class ManagerMachine {
  readonly host: string
  readonly token: string
  #manager: SecretsManager | undefined
  #suffers: readonly { readonly trouble: Trouble }[] = []

  constructor(host: string, token: string) {
    this.host = host
    this.token = token
  }

  join(simulation: Simulation): void {
    simulation.addNode({ name: managerName, host: this.host }).boot(async (env: Env) => {
      const manager = new SecretsManager(env)
      const mounts = names.flatMap((name) => [`${name}-root`, `${name}-intermediate`])
      manager.tokens.add({ id: this.token, ttl: 3_600, period: 3_600, renewable: true, mounts, sudo: true })
      const listener = await manager.serve({ host: this.host, port })
      invariant(listener.ok, 'a fresh machine has its port')
      this.#manager = manager
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
    const one = { trouble }
    this.#suffers = [...this.#suffers, one]
    this.#apply()
    return () => {
      this.#suffers = this.#suffers.filter((each) => each !== one)
      this.#apply()
    }
  }

  recover(): void {
    this.#suffers = []
    this.#apply()
  }

  #apply(): void {
    const manager = this.#manager
    if (manager === undefined) return
    manager.state = 'active'
    manager.faults.clear()
    for (const { trouble } of this.#suffers) {
      if (trouble === 'sealed' || trouble === 'uninitialised') manager.state = trouble
      else manager.faults.add({ kind: faultOf[trouble], times: Number.POSITIVE_INFINITY, call: '', delayMs: slowMs })
    }
  }
}
