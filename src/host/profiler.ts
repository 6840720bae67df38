import { err, ok, type Result } from '../base/result.ts'
import type { Clock, Timers } from '../env/clock.ts'
import type { ProfileFailure, ProfileKind, Profiler } from '../env/profiler.ts'
import type { ProfiledTime } from './profiles.ts'
import { messageOf } from './system-error.ts'

/** Flags whose values are secrets, or may contain some. */
const secretFlag = /^--?(encrypt|hcl|retry-join(?:-wan)?|token|http-token|acl-.*)$/

/** A program's arguments for others to see: values of flags that may be secrets are replaced by `<hidden>`. */
function hiddenArguments(argv: readonly string[]): readonly string[] {
  return argv.map((argument, at) => {
    const flag = /^(--?[\w-]+)=/.exec(argument)?.[1]
    if (flag !== undefined) return secretFlag.test(flag) ? `${flag}=<hidden>` : argument
    return at > 0 && secretFlag.test(argv[at - 1] ?? '') ? '<hidden>' : argument
  })
}

/** Maximum size of a profile, which is held in memory as a whole. */
const bytesMax = 32 << 20

/**
 * Maximum number of profiles that may begin within a span of time: each costs the agent CPU, and callers may need no
 * token.
 */
const beginsMax = 20
const beginsWithinMs = 10_000

/** Profiles of this process by the inspector of V8, one at a time. */
export class HostProfiler implements Profiler {
  readonly #clock: Clock
  readonly #timers: Timers
  #isBusy = false
  #begins: readonly number[] = []

  constructor(clock: Clock, timers: Timers) {
    this.#clock = clock
    this.#timers = timers
  }

  commandLine(): string {
    return hiddenArguments(process.argv).join('\0')
  }

  async take(kind: ProfileKind, durationMs: number, until: Promise<void>): Promise<Result<Uint8Array, ProfileFailure>> {
    const refused = this.#refusal()
    if (refused !== undefined) return err({ kind: 'busy', message: refused })
    this.#isBusy = true
    try {
      // The inspector and the packer of profiles take a megabyte, which few agents ever need.
      const { takeProfile } = await import('./profiles.ts')
      const bytes = await takeProfile(kind, this.#time(durationMs, until))
      if (bytes.length <= bytesMax) return ok(bytes)
      return err({ kind: 'too-large', message: `the profile has more than ${bytesMax} bytes: take it for less time` })
    } catch (cause) {
      if (!(cause instanceof Error)) throw cause
      return err({ kind: 'failed', message: messageOf(cause) })
    } finally {
      this.#isBusy = false
    }
  }

  #refusal(): string | undefined {
    if (this.#isBusy) return 'another profile is being taken'
    const nowMs = this.#clock.monoMs()
    this.#begins = this.#begins.filter((beganMs) => nowMs - beganMs < beginsWithinMs)
    if (this.#begins.length >= beginsMax) return `${beginsMax} profiles were taken within ${beginsWithinMs / 1_000} s`
    this.#begins = [...this.#begins, nowMs]
    return undefined
  }

  #time(durationMs: number, until: Promise<void>): ProfiledTime {
    const startMs = this.#clock.monoMs()
    const over = new Promise<void>((resolve) => {
      const timer = this.#timers.after(durationMs, resolve)
      void until.then(() => {
        timer.close()
        resolve()
      })
    })
    return { over, beganMs: this.#clock.wallMs(), tookMs: () => this.#clock.monoMs() - startMs }
  }
}
