import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startChild } from '../../../src/host/foreground.ts'

async function started(script: string, input = false, sharesTerminal = false) {
  const options = { environment: new Map<string, string>(), input }
  const child = await startChild(['/bin/sh', '-c', script], options, sharesTerminal)
  if (!child.ok) throw new Error(child.error.message)
  return child.value
}

describe('a program in the foreground', () => {
  it.each([
    ['', false, false],
    [', with the input of this program', true, false],
    [', with the input and the terminal of this program', true, true],
  ])('lives until what a shell has started has ended, too%s', async (_, input, sharesTerminal) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-child-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const ready = join(folder, 'ready')
    // The inner program inherits that SIGTERM is ignored, and the shell does not ignore it any more.
    const child = await started(`trap '' TERM; sleep 60 & trap - TERM; : > ${ready}; wait`, input, sharesTerminal)
    onTestFinished(() => void child.signal('SIGKILL'))
    await vi.waitUntil(() => existsSync(ready), { timeout: 20_000 })
    expect(child.signal('SIGTERM')).toEqual({ ok: true, value: undefined })
    expect([await child.ended, child.lives()]).toEqual(['SIGTERM', true])
    expect(child.signal('SIGKILL')).toEqual({ ok: true, value: undefined })
    await vi.waitUntil(() => !child.lives(), { timeout: 20_000 })
  })

  it('with the terminal of this program ends with what it has started over several steps', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-child-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const ready = join(folder, 'ready')
    const child = await started(`sh -c 'sh -c "sleep 60" & : > ${ready}; wait' & wait`, true, true)
    onTestFinished(() => void child.signal('SIGKILL'))
    await vi.waitUntil(() => existsSync(ready), { timeout: 20_000 })
    expect([child.signal('SIGTERM'), await child.ended]).toEqual([{ ok: true, value: undefined }, 'SIGTERM'])
    await vi.waitUntil(() => !child.lives(), { timeout: 20_000 })
    expect(child.signal('SIGKILL')).toEqual({ ok: true, value: undefined })
  })

  it('does not live once it has ended alone, and needs no signal then', async () => {
    const child = await started('exit 3')
    expect([await child.ended, child.lives(), child.signal('SIGTERM')]).toEqual([
      3,
      false,
      { ok: true, value: undefined },
    ])
  })

  it('says that a signal is not allowed, and counts as living', async () => {
    const child = await started('exit 0')
    await child.ended
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
    })
    onTestFinished(() => kill.mockRestore())
    expect([child.signal('SIGTERM'), child.lives()]).toEqual([{ ok: false, error: 'SIGTERM: EPERM' }, true])
  })
})
