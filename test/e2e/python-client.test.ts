import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { devAgent, eventually, freePorts, type RealAgent } from './real-agent.ts'

const script = fileURLToPath(new URL('python-client.py', import.meta.url))

/** The Python that has the client: the system's own, for it is a package of the system. */
const python = ['/usr/bin/python3', 'python3'].find((path) => spawnSync(path, ['-c', 'import consul']).status === 0)

let agent: RealAgent | undefined
/** The same with access control. */
let guarded: RealAgent | undefined
afterEach(async () => {
  await agent?.stop('SIGKILL')
  await guarded?.stop('SIGKILL')
})

it("the field's client for Python, unmodified, does its own flows, which call every method that it has", async (context) => {
  if (python === undefined) return context.skip('python3-consul is not there')
  const ports = await freePorts()
  agent = devAgent(ports, '-node=n1')
  await eventually('the node in the catalog', async () => {
    const nodes = await agent?.json<{ Node: string }[]>('/v1/catalog/nodes')
    return nodes?.some(({ Node }) => Node === 'n1') ? true : undefined
  })
  const others = await freePorts()
  const access = '-hcl=acl { enabled = true default_policy = "deny" tokens { master = "master" } }'
  guarded = devAgent(others, '-node=n2', access)
  await eventually('the master token', async () =>
    (await guarded?.json('/v1/acl/info/master?token=master')) === undefined ? undefined : true,
  )
  const argv = [script, ports.http, ports.server, others.http].map(String)
  const child = spawn(python, argv, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect(said).toBe(
    'status\nagent\ncatalog\nhealth\nkeys\nsessions\nmaintenance\nevents\nqueries\nplaces\naccess\nevery_method\n',
  )
  expect(code).toBe(0)
}, 120_000)
