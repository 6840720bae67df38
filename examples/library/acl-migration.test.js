import { describeCluster } from 'svc/sim'
import { describe, expect, it } from 'vitest'

/** Access control as of 1.3, with a token that may do everything. */
const old = {
  servers: 3,
  release: '1.3.1',
  config: { acl_datacenter: 'dc1', acl_default_policy: 'deny', acl_master_token: 'root', acl_agent_token: 'root' },
  world: { operator: { token: 'root' } },
}

describeCluster({ describe, it }, 'a migration of access control', old, {
  'lets an old token read at every moment, and lists it among the new ones in the end': async (c) => {
    const asked = (node, path, token, init = {}) => c.fetch(node, path, { ...init, headers: { 'X-Svc-Token': token } })
    const rules = 'key "shop/" { policy = "write" }'
    const created = await asked('s1', '/v1/acl/create', 'root', {
      method: 'PUT',
      body: JSON.stringify({ Name: 'shop', Rules: rules }),
    })
    const { ID: token } = await created.json()
    expect((await asked('s1', '/v1/kv/shop/door', token, { method: 'PUT', body: 'open' })).status).toBe(200)

    const servers = [...c.nodes.filter((node) => node !== c.leader), c.leader]
    for (const server of servers) {
      await c.upgrade(server, '1.4.0')
      await c.until(() => c.leader !== undefined)
      await c.advance('20s')
      for (const node of c.nodes) {
        expect(await (await asked(node, '/v1/kv/shop/door?raw', token)).text()).toBe('open')
        expect((await asked(node, '/v1/kv/shop/door?raw', 'nobody')).status).toBe(403)
      }
    }

    await c.advance('1m')
    const bootstrap = await c.fetch('s1', '/v1/acl/bootstrap', { method: 'PUT' })
    const { SecretID } = await bootstrap.json()
    const tokens = await (await asked('s1', '/v1/acl/tokens', SecretID)).json()
    expect(tokens.find(({ Description }) => Description === 'shop')).toMatchObject({ Legacy: true })
  },
})
