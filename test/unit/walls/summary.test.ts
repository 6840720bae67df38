import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { PlantedTree, projectRoot } from '../../tools/planted.ts'

function file(...statuses: readonly string[]) {
  const status = statuses.includes('failed') ? 'failed' : 'passed'
  return { status, assertionResults: statuses.map((each) => ({ status: each })) }
}

const unloadable = { status: 'failed', assertionResults: [] }

describe('the last line of the gate', () => {
  const tree = new PlantedTree()

  function summary(testResults: readonly object[] | undefined, ...failedSteps: readonly string[]) {
    if (testResults !== undefined) tree.plant('report.json', JSON.stringify({ testResults }))
    const path = testResults === undefined ? 'missing.json' : 'report.json'
    const script = join(projectRoot, 'test/tools/summary.mjs')
    const ran = spawnSync(process.execPath, [script, path, ...failedSteps], { cwd: tree.root, encoding: 'utf8' })
    return { code: ran.status, lastLine: ran.stdout.trimEnd().split('\n').at(-1) }
  }

  afterAll(() => tree.remove())

  it('counts tests that passed and that were skipped', () => {
    const seen = summary([file('passed', 'passed'), file('passed', 'skipped', 'pending')])
    expect(seen).toEqual({ code: 0, lastLine: '3 passed, 0 failed, 2 skipped' })
  })

  it('fails when a test failed', () => {
    expect(summary([file('passed', 'failed')], 'test')).toEqual({
      code: 1,
      lastLine: '1 passed, 1 failed, 0 skipped',
    })
  })

  it('counts a test file that could not be loaded as a failure', () => {
    expect(summary([file('passed'), unloadable], 'test')).toEqual({
      code: 1,
      lastLine: '1 passed, 1 failed, 0 skipped',
    })
  })

  it('counts each other step that failed as a failure', () => {
    expect(summary([file('passed')], 'lint', 'layers')).toEqual({ code: 1, lastLine: '1 passed, 2 failed, 0 skipped' })
  })

  it('fails when the tests failed and no test says so', () => {
    expect(summary([file('passed')], 'test')).toEqual({ code: 1, lastLine: '1 passed, 1 failed, 0 skipped' })
  })

  it('fails when no test ran', () => {
    expect(summary([])).toEqual({ code: 1, lastLine: '0 passed, 1 failed, 0 skipped' })
  })

  it('fails when there is no report', () => {
    expect(summary(undefined, 'test')).toEqual({ code: 1, lastLine: '0 passed, 1 failed, 0 skipped' })
  })
})
