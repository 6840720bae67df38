import { isAtLeast, type Release, releaseText } from '../../../src/model/release.ts'
import type { Report } from '../violation.ts'

/**
 * D2. A server stops at a replicated command that its release does not know, and only then: going on without it would make its
 * state another than the others'. That the state is theirs once it runs as a release that knows the command, R5 tells.
 */
export class FailStop {
  readonly #sinceOf: (kind: string) => Release | undefined
  readonly #report: Report

  /** `sinceOf`: the release that brought a kind of command. */
  constructor(report: Report, sinceOf: (kind: string) => Release | undefined) {
    this.#report = report
    this.#sinceOf = sinceOf
  }

  carriedOut(node: string, release: Release, kind: string, index: number): void {
    if (this.#isKnown(release, kind)) return
    this.#report('D2', `${node} carried out '${kind}' at ${index}, which release ${releaseText(release)} does not know`)
  }

  /** It stopped itself, for it did not know this command. */
  stopped(node: string, release: Release, kind: string, index: number): void {
    if (!this.#isKnown(release, kind)) return
    this.#report('D2', `${node} stopped at '${kind}' at ${index}, which release ${releaseText(release)} knows`)
  }

  #isKnown(release: Release, kind: string): boolean {
    const since = this.#sinceOf(kind)
    return since !== undefined && isAtLeast(release, since)
  }
}
