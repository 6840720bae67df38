import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addresses } from './dns-client.ts'
import { type AgentPortsInUse, eventually, freePorts, leads, makeWorkplace, RealAgent, runSvc } from './real-agent.ts'

const master = '0f5a6a3b-4a08-4d5b-8a6f-6a3b4a084d5b'
const workplace = makeWorkplace()
let ports: AgentPortsInUse
let agent: RealAgent

/** A server whose configuration says this besides. */
async function startWith(access: string): Promise<void> {
  const file = join(workplace.path, 'agent.hcl')
  const { http, dns, server, serf_lan } = ports
  writeFileSync(
    file,
    `server = true
bootstrap = true
node_name = "s1"
data_dir = "${join(workplace.path, 'data')}"
bind_addr = "127.0.0.1"
performance { raft_multiplier = 1 }
ports { http = ${http}, dns = ${dns}, server = ${server}, serf_lan = ${serf_lan}, serf_wan = -1 }
${access}
`,
  )
  agent = new RealAgent(`127.0.0.1:${http}`, [`-config-file=${file}`])
  await leads(agent)
}

beforeAll(async () => {
  ports = await freePorts({ dns: true })
  await startWith(`
acl_datacenter = "dc1"
acl_default_policy = "deny"
acl_down_policy = "extend-cache"
acl_ttl = "17s"
acl_enforce_version_8 = true
acl_master_token = "${master}"
acl_agent_token = "${master}"
acl_token = "for-dns"
enable_acl_replication = false
`)
  await eventually('the new kind of access control', async () =>
    /^Mode: +new/.test((await asMaster('acl', 'status')).out) ? true : undefined,
  )
  const body = JSON.stringify({ Node: 'w1', Address: '10.5.0.1', Service: { Service: 'web', Port: 80 } })
  expect((await agent.request('PUT', `/v1/catalog/register?token=${master}`, body)).status).toBe(200)
})
afterAll(async () => {
  await agent.stop('SIGKILL')
  workplace.remove()
})

function svc(...argv: readonly string[]) {
  const [operands, flags] = [argv.filter((word) => !word.startsWith('-')), argv.filter((word) => word.startsWith('-'))]
  const words = operands.slice(0, operands[0] === 'acl' && /^(token|policy)$/.test(operands[1] ?? '') ? 3 : 2)
  return runSvc([...words, `-http-addr=${agent.address}`, ...flags, ...operands.slice(words.length)])
}

function asMaster(...argv: readonly string[]) {
  return svc(...argv, `-token=${master}`)
}

/** What stands behind a label of a block. */
function field(out: string, label: string): string {
  return new RegExp(`^${label}: +(.*)$`, 'm').exec(out)?.[1] ?? ''
}

async function webByDns(): Promise<number> {
  return (await addresses({ host: '127.0.0.1', port: ports.dns }, 'web.service.svc')).length
}

describe('a server with the configuration of release 1.3', () => {
  it('[CFG-021] runs as it says, and says which of its keys has a new name', async () => {
    expect(agent.output).toContain(
      "The 'acl_datacenter' field is deprecated. Use the 'primary_datacenter' field instead.",
    )
    expect(agent.output).not.toMatch(/has no effect/)
    const self = await agent.json<{ DebugConfig: object }>(`/v1/agent/self?token=${master}`)
    expect(self?.DebugConfig).toMatchObject({
      ...{ ACLsEnabled: true, PrimaryDatacenter: 'dc1', ACLDefaultPolicy: 'deny', ACLDownPolicy: 'extend-cache' },
      ...{ ACLTokenTTL: '17s', ACLEnforceVersion8: true, ACLTokenReplication: false },
      ...{ ACLMasterToken: 'hidden', ACLAgentToken: 'hidden', ACLToken: 'hidden', ACLReplicationToken: '' },
    })
  })

  it('has its master token, so bootstrap gives no other', async () => {
    expect(await svc('acl', 'bootstrap')).toMatchObject({
      code: 1,
      error: expect.stringMatching(/^Failed ACL bootstrapping: .*403 \(Permission denied: ACL bootstrap no longer/),
    })
    expect(field((await asMaster('acl', 'token', 'read', '-self')).out, 'SecretID')).toBe(master)
  })

  it('has policies and tokens, which commands make, show, change and delete', async () => {
    const rules = 'service_prefix "" { policy = "write" }'
    const made = await asMaster('acl', 'policy', 'create', '-name=web', `-rules=${rules}`, '-valid-datacenter=dc1')
    expect([made.error, field(made.out, 'Name'), field(made.out, 'Datacenters')]).toEqual(['', 'web', 'dc1'])
    expect(made.out).toMatch(new RegExp(`Rules:\n${rules}\n$`))
    expect((await asMaster('acl', 'policy', 'update', '-name=web', '-description=of web')).out).toContain(
      'Policy updated successfully\n',
    )
    const listed = (await asMaster('acl', 'policy', 'list')).out
    expect(listed).toMatch(/^global-management:\n {3}ID: {11}00000000-0000-0000-0000-000000000001\n/m)
    expect(listed).toMatch(/^web:\n {3}ID: +\S+\n {3}Description: {2}of web\n {3}Datacenters: {2}dc1\n/m)

    const token = (await asMaster('acl', 'token', 'create', '-policy-name=web', '-description=deployer')).out
    const [accessor, secret] = [field(token, 'AccessorID'), field(token, 'SecretID')]
    expect(token).toMatch(/^Policies:\n {3}\S+ - web\n$/m)
    expect((await svc('acl', 'token', 'read', '-self', `-token=${secret}`)).out).toBe(token)
    const cloned = await asMaster('acl', 'token', 'clone', `-id=${accessor.slice(0, 12)}`)
    const clone = field(cloned.out, 'AccessorID')
    expect([cloned.error, clone === accessor]).toEqual(['', false])
    expect((await asMaster('acl', 'token', 'delete', `-id=${clone}`)).out).toBe(
      `Token "${clone}" deleted successfully\n`,
    )
    expect((await asMaster('acl', 'token', 'list')).out).toContain('Description:  deployer\n')

    const explained = await runSvc(
      ['acl', 'explain', `-http-addr=${agent.address}`, `-token=${secret}`, 'service:write', 'web'],
      undefined,
      { SVC_HTTP_TOKEN: master },
    )
    expect(explained).toEqual({
      code: 0,
      out: `Allowed:  service:write "web"\nToken:    ${accessor}\nBecause:  service_prefix "" is "write" in web\n`,
      error: '',
    })
    expect((await svc('acl', 'translate-rules', `-token=${master}`, 'key "" { policy = "read" }')).out).toBe(
      'key_prefix "" {\n  policy = "read"\n}\n',
    )
  })

  it('[CFG-020] answers DNS, and requests without a token, by the token of acl_token', async () => {
    expect(await webByDns()).toBe(0)
    const rules = 'service "" { policy = "read" } node "" { policy = "read" }'
    const body = JSON.stringify({ ID: 'for-dns', Name: 'dns', Type: 'client', Rules: rules })
    const made = await agent.request('PUT', `/v1/acl/create?token=${master}`, body)
    expect([made.status, await made.text()]).toEqual([200, '{"ID":"for-dns"}'])
    await eventually('web by DNS', async () => ((await webByDns()) === 1 ? true : undefined))
    expect((await svc('kv', 'put', 'k', 'v')).error).toMatch(/403 \(Permission denied\)/)
  })

  it('[CFG-020] does the same by the new names, on the same data', async () => {
    await agent.stop('SIGKILL')
    await startWith(`
primary_datacenter = "dc1"
acl {
  enabled = true
  default_policy = "deny"
  tokens { master = "${master}", agent = "${master}", default = "for-dns" }
}
`)
    await eventually('web by DNS', async () => ((await webByDns()) === 1 ? true : undefined))
    expect(agent.output).not.toMatch(/deprecated/)
    expect((await asMaster('acl', 'set-agent-token', 'default', 'nobody')).out).toBe(
      'ACL token "default" set successfully\n',
    )
    await eventually('no more', async () => ((await webByDns()) === 0 ? true : undefined))
  })
})
