import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startChild } from '../../../src/host/processes.ts'

async function started(script: string) {
  const child = await startChild(['/bin/sh', '-c', script], { environment: new Map(), input: false })
  if (!child.ok) throw new Error(child.error.message)
  return child.value
}

describe('a program in the foreground', () => {
  it('lives until what a shell has started has ended, too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-child-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const ready = join(folder, 'ready')
    // The inner program inherits that SIGTERM is ignored, and the shell does not ignore it any more.
    const child = await started(`trap '' TERM; sleep 60 & trap - TERM; : > ${ready}; wait`)
    onTestFinished(() => void child.signal('SIGKILL'))
    await vi.waitUntil(() => existsSync(ready), { timeout: 20_000 })
    expect(child.signal('SIGTERM')).toEqual({ ok: true, value: undefined })
    expect([await child.ended, child.lives()]).toEqual(['SIGTERM', true])
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
