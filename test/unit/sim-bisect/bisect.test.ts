import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Checkout } from '../../../sim/bisect/checkout.ts'
import { verdictOn } from '../../../sim/bisect/judging.ts'
import { bisect, endsWrong, type History, stepsAtMost, type Verdict } from '../../../sim/bisect/search.ts'
import { createWorkplace } from '../../../sim/platform/workplace.ts'
import { err, ok } from '../../../src/base/result.ts'

/** A history without branches, of which the commit in the middle comes first. */
function line(commits: readonly string[]): History {
  return {
    between: async (good, bad) => {
      const from = Math.max(...good.map((commit) => commits.indexOf(commit)))
      const left = commits.slice(from + 1, commits.indexOf(bad) + 1)
      const middle = left.length / 2
      const away = (commit: string): number => Math.abs(left.indexOf(commit) + 1 - middle)
      return ok(left.toSorted((one, other) => away(one) - away(other)))
    },
  }
}

const skipped: Verdict = { kind: 'skipped', why: 'it does not build' }

describe('a bisection', () => {
  it('finds the first bad commit of every line, in as many steps as it takes to halve it', async () => {
    const commits = Array.from({ length: 33 }, (_, at) => `c${at}`)
    for (let first = 1; first < commits.length; first++) {
      const judge = async (commit: string): Promise<Verdict> => ({
        kind: commits.indexOf(commit) >= first ? 'bad' : 'good',
      })
      const found = await bisect(line(commits), { good: 'c0', bad: 'c32' }, judge)
      expect(found).toMatchObject({ ok: true, value: { suspects: [`c${first}`] } })
      expect(found.ok ? found.value.judged : 99).toBeLessThanOrEqual(stepsAtMost(32) + 1)
    }
  })

  it('passes over commits that cannot be judged, and says so where they hide the first one', async () => {
    const commits = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6']
    const judged = (states: Readonly<Record<string, Verdict>>) =>
      bisect(line(commits), { good: 'c0', bad: 'c6' }, async (commit) => states[commit] ?? skipped)
    const good: Verdict = { kind: 'good' }
    const bad: Verdict = { kind: 'bad' }
    expect(await judged({ c1: good, c2: good, c3: bad, c5: bad })).toMatchObject({ value: { suspects: ['c3'] } })
    expect(await judged({ c1: good, c2: good, c5: bad })).toMatchObject({ value: { suspects: ['c5', 'c3', 'c4'] } })
    expect(await judged({})).toMatchObject({ value: { suspects: ['c6', ...['c3', 'c2', 'c4', 'c1', 'c5']] } })
  })

  it('judges only the failure that is looked for', () => {
    const wanted = { code: 'R6', place: 'R6 (votes)', message: 's5 wrote a vote' }
    expect(verdictOn({ kind: 'passed' }, wanted)).toEqual({ kind: 'good' })
    expect(verdictOn({ kind: 'failed', failure: { ...wanted, message: 'worded anew' } }, wanted)).toEqual({
      kind: 'bad',
    })
    const other = { place: 'a.yaml:3:5', message: 'not within 5s' }
    expect(verdictOn({ kind: 'failed', failure: other }, wanted)).toMatchObject({
      kind: 'skipped',
      why: 'fails in another way: a.yaml:3:5: not within 5s',
    })
    const moved = { place: 'a.yaml:4:5', message: 'not within 12s' }
    expect(verdictOn({ kind: 'failed', failure: moved }, other)).toEqual({ kind: 'bad' })
    expect(verdictOn({ kind: 'unclear', why: 'exit 2' }, wanted)).toEqual({ kind: 'skipped', why: 'exit 2' })
  })

  it('needs ends that are what they are said to be', () => {
    expect(endsWrong('good', 'v1', { kind: 'good' })).toEqual(ok(undefined))
    expect(endsWrong('good', 'v1', { kind: 'bad' })).toEqual(
      err('--good v1 fails, too: name an earlier commit, in which the run passes'),
    )
    expect(endsWrong('bad', 'HEAD', { kind: 'good' })).toEqual(
      err('--bad HEAD passes: name a commit in which the run fails'),
    )
    expect(endsWrong('bad', 'HEAD', skipped)).toEqual(err('--bad HEAD cannot be judged: it does not build'))
  })
})

describe('a checkout', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-checkout-')))
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  const workplace = createWorkplace()

  it('is refused where there is none, or no git', async () => {
    const nowhere = await Checkout.at(root, workplace)
    expect(nowhere).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^this folder is not in a checkout of git/),
    })
    const without = await Checkout.at(root, {
      ...workplace,
      run: async () => ({ exit: undefined, isOverdue: false, out: '', error: 'spawn git ENOENT' }),
    })
    expect(without).toEqual(err('git could not be started (spawn git ENOENT), and bisect reads the history with git'))
  })

  it('tells commits and changes, and writes a commit out without a trace in the checkout', async () => {
    const git = (...argv: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-C', root, ...argv], { encoding: 'utf8' })
    git('init', '--quiet')
    writeFileSync(join(root, 'page.yaml'), 'one\n')
    git('add', '.')
    git('commit', '--quiet', '--no-gpg-sign', '--message', 'it begins')
    const made = await Checkout.at(root, workplace)
    if (!made.ok) throw new Error(made.error)
    const checkout = made.value
    const head = await checkout.commit('--bad', 'HEAD')
    expect(head).toEqual(ok(git('rev-parse', 'HEAD').trim()))
    expect(await checkout.commit('--good', '--all')).toEqual(err('--good --all: the checkout has no such commit'))
    writeFileSync(join(root, 'page.yaml'), 'two\n')
    expect(await checkout.clean('')).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^page[.]yaml changed since/),
    })
    expect(await checkout.clean(join(root, 'page.yaml'))).toEqual(ok(undefined))
    const folder = workplace.folder()
    expect(await checkout.writeOut('HEAD', folder)).toEqual(ok(undefined))
    expect(execFileSync('cat', [join(folder, 'page.yaml')], { encoding: 'utf8' })).toBe('one\n')
    expect(git('status', '--porcelain')).toBe(' M page.yaml\n')
    workplace.remove(folder)
    expect(workplace.exists(folder)).toBe(false)
  })
})
