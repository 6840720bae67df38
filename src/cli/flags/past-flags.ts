import { providerText } from '../../config/past/past-keys.ts'
import { isFlagStillRead } from '../../config/past/removed.ts'
import { parseRelease, type Release } from '../../model/release.ts'

/** Flags of clouds by their beginning, and the provider that is asked now. */
const clouds: readonly (readonly [prefix: string, provider: string])[] = [
  ['retry-join-azure-', 'azure'],
  ['retry-join-ec2-', 'aws'],
  ['retry-join-gce-', 'gce'],
]

/** Flags that earlier releases of the agent took, as today's: what an agent is to run as stands among its arguments. */
export class PastFlags {
  readonly #release: Release | undefined
  readonly #asked = new Map<string, Record<string, string>>()

  /** `releases`: whether the command is one that earlier releases gave such flags, the agent itself. */
  constructor(argv: readonly string[], releases: boolean) {
    const given = argv.flatMap((argument, at) => {
      const match = /^--?release(?:=(.*))?$/.exec(argument)
      return match === null ? [] : [match[1] ?? argv[at + 1] ?? '']
    })
    this.#release = releases ? parseRelease(given.at(-1) ?? '') : undefined
  }

  /** Whether the release has it; all of them but one take a value. */
  has(name: string): boolean {
    return this.#release !== undefined && name !== 'rpc-addr' && isFlagStillRead(name, this.#release)
  }

  takesValue(name: string): boolean {
    return name !== 'atlas-join'
  }

  /** What is said now for it, at once; what belongs together is said at the end. */
  take(name: string, value: string): readonly string[] {
    if (name === 'dc') return [`--datacenter=${value}`]
    const [prefix, provider] = clouds.find(([each]) => name.startsWith(each)) ?? []
    if (prefix === undefined || provider === undefined) return []
    const key = name.slice(prefix.length).replaceAll('-', '_')
    this.#asked.set(provider, { ...this.#asked.get(provider), [key]: value })
    return []
  }

  rest(): readonly string[] {
    return [...this.#asked].map(([provider, keys]) => `--retry-join=${providerText(provider, keys)}`)
  }
}
