import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually, freePorts, makeWorkplace, portFlags, runSvc, writeConfig } from './real-agent.ts'

const svc = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))
/**
 * A process space of its own, as a container has one; its process 1 and all that it started end with `unshare` itself.
 */
const ownSpace = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'] as const
const spaces = spawnSync('unshare', [...ownSpace, 'true']).status === 0
const why = spaces ? '' : ' (skipped: this machine does not let a test have a process space of its own)'

/** A check whose program leaves a child behind, which ends a moment after it: only process 1 can reap that. */
const leavesAnOrphan = 'sleep 0.2 & exit 0'

/** States of the orphans of that check under one `unshare`: `Z` is one that has ended and was not reaped. */
function orphans(unshare: number): readonly string[] {
  const stats = readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      // `pid (name) state parent …`
      const [, id, command, state, parent] =
        /^(\d+) \((.*)\) (\S) (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
      return [{ id: Number(id), command, state: state ?? '', parent: Number(parent) }]
    } catch {
      // It ended in between.
      return []
    }
  })
  const first = stats.find(({ parent }) => parent === unshare)?.id
  return stats.filter(({ command, parent }) => command === 'sleep' && parent === first).map(({ state }) => state)
}

async function startIn(command: (agent: string) => readonly string[]) {
  const workplace = makeWorkplace()
  const ports = await freePorts()
  const check = { id: 'c', name: 'c', args: ['sh', '-c', leavesAnOrphan], interval: '1s' }
  const file = writeConfig(workplace.path, 'agent.json', { enable_script_checks: true, check })
  const agent = [process.execPath, svc, 'agent', '-dev', `-config-file=${file}`, ...portFlags(ports)]
  const child = spawn('unshare', [...ownSpace, ...command(agent.map((word) => `'${word}'`).join(' '))], {
    stdio: 'ignore',
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await new Promise((resolve) => child.on('close', resolve))
    workplace.remove()
  })
  const runs = async (): Promise<true | undefined> => {
    const found = await fetch(`http://127.0.0.1:${ports.http}/v1/agent/checks`).catch(() => undefined)
    const checks = found?.status === 200 ? ((await found.json()) as { readonly c?: { readonly Status: string } }) : {}
    return checks.c?.Status === 'passing' ? true : undefined
  }
  await eventually('a check that has run', runs)
  return { pid: child.pid ?? 0 }
}

describe('process 1', () => {
  it('[AGT-036] is no matter of an option: reap is refused, with the release that removed it and what to do', async () => {
    const workplace = makeWorkplace()
    onTestFinished(() => workplace.remove())
    const file = writeConfig(workplace.path, 'reap.json', { reap: true })
    expect(await runSvc(['agent', '-dev', `-config-file=${file}`])).toMatchObject({
      code: 1,
      error: expect.stringMatching(/reap\.json:1:2: invalid config key reap: .*0\.7\.1.*under an init process/),
    })
  })

  it.skipIf(!spaces)(
    `[AGT-036] the agent runs as it, and reaps nobody: what its checks leave behind stays${why}`,
    async () => {
      const { pid } = await startIn((agent) => ['sh', '-c', `exec ${agent}`])
      await eventually('an orphan that was not reaped', async () => (orphans(pid).includes('Z') ? true : undefined))
    },
  )

  it.skipIf(!spaces)(`[AGT-036] a reaper that starts the agent does${why}`, async () => {
    // A shell that waits reaps whatever becomes its child.
    const { pid } = await startIn((agent) => ['sh', '-c', `${agent} & wait`])
    const seen = { alive: false }
    await eventually('an orphan that is gone again', async () => {
      const states = orphans(pid)
      seen.alive ||= states.length > 0
      return seen.alive && states.length === 0 ? true : undefined
    })
  })
})
