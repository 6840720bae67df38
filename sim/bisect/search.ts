import { err, ok, type Result } from '../../src/base/result.ts'

/** The result of the run with a commit. */
export type Verdict =
  | { readonly kind: 'good' }
  | { readonly kind: 'bad' }
  /** The run gives no verdict: the commit does not build, cannot judge the run, or fails in another way. */
  | { readonly kind: 'skipped'; readonly why: string }

/** Which commits remain. */
export interface History {
  /**
   * Ancestors of `bad`, including itself, that are not ancestors of one of `good`; those whose verdict divides the
   * others best come first. The error is one line.
   */
  between(good: readonly string[], bad: string): Promise<Result<readonly string[], string>>
}

/** The result of a bisection. */
export interface Found {
  /** The first bad commit; several, if skipped commits leave it open. */
  readonly suspects: readonly string[]
  /** Number of judged commits. */
  readonly judged: number
}

/**
 * Finds the first bad commit, as `git bisect` does: the commit that divides the others best is judged next, and one
 * that cannot be judged is skipped for another. A commit with a known verdict is not judged again.
 */
export async function bisect(
  history: History,
  { good, bad }: { readonly good: string; readonly bad: string },
  judge: (commit: string, left: number) => Promise<Verdict>,
): Promise<Result<Found, string>> {
  const known = { good: [good], bad }
  const skipped = new Set<string>()
  for (let judged = 0; ; judged++) {
    const left = await history.between(known.good, known.bad)
    if (!left.ok) return left
    const open = left.value.filter((commit) => commit !== known.bad && !skipped.has(commit))
    const [next] = open
    if (next === undefined) {
      const others = left.value.filter((commit) => commit !== known.bad)
      return ok({ suspects: [known.bad, ...others], judged })
    }
    const verdict = await judge(next, open.length)
    if (verdict.kind === 'good') known.good.push(next)
    else if (verdict.kind === 'bad') known.bad = next
    else skipped.add(next)
  }
}

/** Maximum number of judged commits if none is skipped. */
export function stepsAtMost(commits: number): number {
  return commits <= 1 ? 0 : Math.ceil(Math.log2(commits))
}

/** For errors that name both ends of a range. */
export function endsWrong(end: 'good' | 'bad', name: string, verdict: Verdict): Result<undefined, string> {
  if (verdict.kind === end) return ok(undefined)
  if (verdict.kind === 'skipped') return err(`--${end} ${name} cannot be judged: ${verdict.why}`)
  if (end === 'good') return err(`--good ${name} fails, too: name an earlier commit, in which the run passes`)
  return err(`--bad ${name} passes: name a commit in which the run fails`)
}
