import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Breakage } from './breakage.ts'
import type { BrokenCopy } from './broken-copy.ts'
import { filesClaiming, titlesClaiming } from './claims.ts'

/** What the tests that claim a statement make of the program in which it is broken. */
export type Verdict =
  /** `because`: the first line of what that test said. */
  | { readonly kind: 'found'; readonly by: string; readonly because: string }
  /** Every one of them passed: the statement could be untrue without any test failing. */
  | { readonly kind: 'survived'; readonly passed: number }
  /** No test that ran carries the ID. */
  | { readonly kind: 'unclaimed' }
  /** Vitest came to no report: the breakage does not load, or nothing ended in time. */
  | { readonly kind: 'undecided'; readonly output: string }

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

const limitMs = 300_000
/** Characters of what Vitest printed that are kept. */
const outputMax = 4_000

/**
 * Breaks the copy and runs the tests that claim the statement, each as often as it takes until one fails. That they
 * pass on the sound program is for the same run of all tests to show.
 */
export function judged(copy: BrokenCopy, breakage: Breakage): Promise<Verdict> {
  const files = filesClaiming(breakage.id)
  if (files.length === 0) return Promise.resolve({ kind: 'unclaimed' })
  return copy.broken(breakage, () => verdictOf(copy.root, breakage.id, files))
}

async function verdictOf(root: string, id: string, files: readonly string[]): Promise<Verdict> {
  const reportFile = join(root, 'report.json')
  rmSync(reportFile, { force: true })
  // A file of scenarios has none where the other has those that claim the statement: that is no failure.
  const further = ['--passWithNoTests', `--outputFile=${reportFile}`]
  const output = await vitest(root, id, [...files, '-t', titlesClaiming(id), '--bail=1', ...further])
  const report = reportIn(reportFile)
  if (report === undefined) return { kind: 'undecided', output }
  const unloaded = report.testResults.find(
    ({ status, assertionResults, message }) =>
      status === 'failed' && assertionResults.length === 0 && !message.startsWith(noTest),
  )
  if (unloaded !== undefined) return { kind: 'undecided', output: unloaded.message }
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  const failed = tests.find(({ status }) => status === 'failed')
  if (failed !== undefined) {
    const [because = ''] = (failed.failureMessages?.[0] ?? '').split('\n')
    return { kind: 'found', by: failed.fullName, because }
  }
  // The agents that its tests are about did not come up: all of them are left out.
  const unready = report.testResults.find(({ status }) => status === 'failed')
  if (unready !== undefined)
    return { kind: 'found', by: `what goes before the tests of ${relative(root, unready.name)}`, because: '' }
  const passed = tests.filter(({ status }) => status === 'passed').length
  return passed === 0 ? { kind: 'unclaimed' } : { kind: 'survived', passed }
}

/**
 * What Vitest says of a file in which no scenario claims the statement: that one fails by itself, and shows nothing.
 */
const noTest = 'No test found in suite'

function reportIn(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** What Vitest printed. It is told what is asked, so that scenarios which do not claim the statement stay untold. */
function vitest(root: string, id: string, args: readonly string[]): Promise<string> {
  const argv = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=json', '--maxWorkers=1', ...args]
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('VITEST') && name !== 'SVC_TEST_LONG',
  )
  const env = { ...Object.fromEntries(inherited), SVC_TEST_BUILT: '1', SVC_TEST_REQUIREMENT: id }
  const child = spawn(process.execPath, argv, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    // A group of its own: Vitest, when it stops at the first failure, leaves agents behind that a test has started.
    detached: true,
  })
  let output = ''
  const keep = (bytes: Buffer) => {
    output = (output + bytes.toString()).slice(-outputMax)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', () => killGroup(child.pid as number))
    child.on('close', () => resolve(output))
  })
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
