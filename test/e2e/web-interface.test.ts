import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { blockingMax } from '../../src/http/ui/page/live/slots.ts'
import { chromiumProgram } from '../scenario/page-in-browser.ts'
import { checkerScript, OperatorPage } from './operator-page.ts'
import { devAgent, freePorts, leads, makeWorkplace, type RealAgent, type Workplace, writeConfig } from './real-agent.ts'

const master = '11111111-1111-1111-1111-111111111111'

/** Everything that a form has done is asserted through the API, never by what the page says. */
describe.skipIf(chromiumProgram === undefined)('the web interface in a browser (Debian: chromium)', () => {
  let agent: RealAgent
  let page: OperatorPage
  let workplace: Workplace

  beforeAll(async () => {
    workplace = makeWorkplace()
    const acl = { enabled: true, default_policy: 'deny', tokens: { master, agent: master } }
    const file = writeConfig(workplace.path, 'acl.json', { acl, services })
    agent = devAgent(await freePorts(), `-config-file=${file}`)
    await leads(agent)
    page = await OperatorPage.open(`http://${agent.address}/ui/`)
  })
  afterAll(async () => {
    await page?.close()
    await agent?.stop('SIGKILL')
    workplace?.remove()
  })

  const api = async <T>(path: string, method = 'GET', body?: string): Promise<T> => {
    const init = { method, headers: { 'X-Svc-Token': master }, ...(body === undefined ? {} : { body }) }
    const text = await (await fetch(`http://${agent.address}${path}`, init)).text()
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  const raw = async (path: string): Promise<string> =>
    (await fetch(`http://${agent.address}${path}`, { headers: { 'X-Svc-Token': master } })).text()

  it('says which right is missing, which rule decides, and that a token is unknown, and recovers from it', async () => {
    await page.go('#/cluster', 'Cluster')
    await page.says('.problem.refused', /anonymous token does not have this right.*missing: operator:read/s)
    await page.page.getByRole('button', { name: 'Why?' }).first().click()
    await page.says('.explained output', /is denied this, because no rule matches, and the default policy is deny/)
    await page.giveToken('no-such-token')
    await page.says('.problem.unknown-token', /does not know the token/)
    await page.giveToken(master)
    await page.says('main', /leads, at .*All servers are healthy and have a vote/s)
    expect(await page.page.locator('.problem').count()).toBe(0)
  })

  it('shows services by filter, and why an instance is not passing', async () => {
    await page.go('#/services', 'Services')
    await page.says('tbody', /web/)
    await page.page.getByLabel('Text filter').fill('we')
    await page.says('p[role=status]', /^3 of 5 services$/m)
    await page.page.getByLabel('Filter expression, for instances').fill('Service.Port ==')
    await page.page.keyboard.press('Enter')
    await page.says('.problem', /Invalid filter at character \d+/)
    await page.page.getByLabel('Filter expression, for instances').fill('Service.Port == 8080')
    await page.page.keyboard.press('Enter')
    await page.says('p[role=status]', /^1 service$/m)
    await page.go('#/services/web', 'Service web')
    await page.says(
      '.reasons',
      /DNS and \?passing leave this instance out.*The check "Service 'web' check" is critical/s,
    )
    await page.says('.topology', /app has it as an upstream; web has the upstreams db/)
    await page.go('#/services/nosuch', 'Service nosuch')
    await page.says('main', /There is no such service/)
    expect(await page.page.locator('main h2').count()).toBe(0)
    await page.go('#/bogus', 'There is no such page')
    await page.says('header .name', /\(dc1\)/)
    await page.go('#/services/web', 'Service web')
  })

  it('puts a service and a node into maintenance, and ends it', async () => {
    const ids = async (): Promise<readonly string[]> => Object.keys(await api<object>('/v1/agent/checks'))
    await page.page.getByRole('button', { name: 'Put into maintenance' }).click()
    await page.says('.reasons', /An operator put the instance web into maintenance/)
    expect(await ids()).toContain('_service_maintenance:web')
    await page.page.getByRole('button', { name: 'End maintenance' }).click()
    await page.says('.done', /The maintenance has ended/)
    expect(await ids()).not.toContain('_service_maintenance:web')
    const { Config } = await api<{ Config: { NodeName: string } }>('/v1/agent/self')
    await page.go(`#/nodes/${Config.NodeName}`, `Node ${Config.NodeName}`)
    await page.page.getByRole('button', { name: 'Drain this node' }).click()
    await page.says('.drained', /web: no healthy instance on other nodes/)
    await page.page.getByLabel('Reason').fill('a new disk')
    await page.page.getByRole('button', { name: 'Yes, drain this node' }).click()
    await page.says('table', /Node Maintenance.*a new disk/s)
    await page.go('#/nodes', 'Nodes')
    await page.says('tbody', /in maintenance/)
    await page.go(`#/nodes/${Config.NodeName}`, `Node ${Config.NodeName}`)
    expect(await ids()).toContain('_node_maintenance')
    await page.page.getByRole('button', { name: 'End maintenance' }).click()
    await page.says('.done', /The maintenance has ended/)
    expect(await ids()).not.toContain('_node_maintenance')
  })

  it('creates, changes, deletes and restores a key, and shows a conflict', async () => {
    await page.go('#/keys', 'Keys')
    await page.fill(page.form('New key'), { Name: 'app/a b', Flags: '18446744073709551615', Value: '{"x": 1' })
    await page.says('.blocked', /begins like JSON, but is not/)
    await page.send('New key', {}, 'Save', /The key app\/a b was created/)
    expect(await raw('/v1/kv/app/a%20b?raw')).toBe('{"x": 1')
    await page.send('New key', { Name: 'app/a b' }, 'Save', /exists already, so nothing was written/)
    await page.go('#/keys/below/app%2F', 'Keys')
    await page.page.getByRole('link', { name: 'a b', exact: true }).click()
    await page.says('h1', 'Key app/a b')
    await page.send('Value', { Value: '{"x": 1}' }, 'Save', /The key was saved/)
    expect(await raw('/v1/kv/app/a%20b')).toContain('18446744073709551615')
    await page.fill(page.form('Value'), { Value: '{"x": 2}' })
    await api('/v1/kv/app/a%20b', 'PUT', '{"theirs": true}')
    await page.says('.conflict', /changed the key meanwhile.*"theirs": true/s)
    expect(await page.form('Value').getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await page.page.getByRole('button', { name: 'Write mine over it' }).click()
    await page.says('form[aria-label="Value"]', /The key was saved/)
    expect(await raw('/v1/kv/app/a%20b?raw')).toBe('{"x": 2}')
    await page.confirm(page.form('Value'), 'Delete')
    await page.says('main', /was deleted.*{"x": 2}/s)
    expect(await raw('/v1/kv/app/?keys')).toBe('')
    await page.go('#/keys', 'Keys')
    await page.go('#/keys/key/app%2Fa%20b', 'Key app/a b')
    await page.page.getByRole('button', { name: 'Restore the deleted key' }).click()
    await page.says('main .done', /The key app\/a b was restored/)
    expect(await raw('/v1/kv/app/a%20b?raw')).toBe('{"x": 2}')
  })

  it('refuses to write over what changed in the moment of the write', async () => {
    const shown = await api<[{ ModifyIndex: number }]>('/v1/kv/app/a%20b')
    await page.says('.facts', new RegExp(`Changed at index${shown[0].ModifyIndex}`))
    await page.fill(page.form('Value'), { Value: 'mine' })
    // The change comes between what the page last heard and its write.
    await page.page.route('**/v1/kv/app/a%20b?*', async (route) => {
      if (route.request().method() === 'PUT') await api('/v1/kv/app/a%20b', 'PUT', 'theirs')
      await route.continue()
    })
    await page.form('Value').getByRole('button', { name: 'Save' }).click()
    await page.says('form[aria-label="Value"] .confirm', 'This was JSON and is no longer. Save anyway?')
    await page.send('Value', {}, 'Yes, save', /changed it meanwhile, so nothing was written/)
    await page.page.unroute('**/v1/kv/app/a%20b?*')
    expect(await raw('/v1/kv/app/a%20b?raw')).toBe('theirs')
    await page.page.getByRole('button', { name: 'Drop my change' }).click()
    const value = () => page.form('Value').getByLabel('Value', { exact: true }).inputValue()
    await expect.poll(value).toBe('theirs')
    await page.fill(page.form('Value'), { Value: 'unsaved' })
    await page.go('#/keys', 'Keys')
    await page.go('#/keys/key/app%2Fa%20b', 'Key app/a b')
    await page.says('.left-text', /You had unsaved text/)
    expect(await value()).toBe('theirs')
    await page.page.getByRole('button', { name: 'Take it up' }).click()
    await expect.poll(value).toBe('unsaved')
    expect(await page.page.locator('.left-text').count()).toBe(0)
    await page.fill(page.form('Value'), { Value: 'theirs' })
  })

  it('saves a key beside a second tab of the same agent, whose connections wait as well', async () => {
    const second = await page.context.newPage()
    const waiting = new Set<unknown>()
    second.on('request', (request) => request.url().includes('wait=60s') && waiting.add(request))
    second.on('requestfinished', (request) => waiting.delete(request))
    second.on('requestfailed', (request) => waiting.delete(request))
    await second.addInitScript(`sessionStorage.setItem('token', '${master}')`)
    await second.goto(page.page.url())
    await expect.poll(() => second.locator('textarea').count()).toBe(1)
    await expect.poll(() => waiting.size, { timeout: 10_000 }).toBe(blockingMax)
    await page.send('Value', { Value: 'beside' }, 'Save', /The key was saved/)
    expect(await raw('/v1/kv/app/a%20b?raw')).toBe('beside')
    await expect.poll(() => second.locator('textarea').inputValue()).toBe('beside')
    await second.close()
  })

  it('begins a session, locks a key for it, releases the lock, and ends the session', async () => {
    await page.go('#/sessions', 'Sessions')
    await page.send('New session', { Name: 'deploy', 'Time to live': '1s' }, 'Begin the session', /Session TTL/i)
    await page.send('New session', { 'Time to live': '60s' }, 'Begin the session', /The session .* has begun/)
    const [session] = await api<readonly { ID: string; Name: string }[]>('/v1/session/list')
    expect(session?.Name).toBe('deploy')
    const holder = async () => (await api<[{ Session?: string }]>('/v1/kv/app/a%20b'))[0].Session
    await page.go('#/keys/key/app%2Fa%20b', 'Key app/a b')
    await page.form('Lock it for a session').getByRole('button').click()
    await page.says('main', /Held by the session deploy of/)
    expect(await holder()).toBe(session?.ID)
    await page.fill(page.form('Value'), { Value: 'over the lock' })
    await page.form('Value').getByRole('button', { name: 'Save' }).click()
    await page.says('form[aria-label="Value"] .confirm', /Save although the session deploy of .* holds it\?/)
    await page.send('Value', {}, 'Yes, save', /The key was saved/)
    await page.confirm(page.page.locator('main'), 'Release the lock')
    await page.says('main', /No session holds it/)
    expect(await holder()).toBeUndefined()
    await page.go(`#/sessions/${session?.ID}`, `Session ${session?.ID}`)
    await page.confirm(page.page.locator('main'), 'End the session')
    await page.says('main', /There is no such session/)
    expect(await api('/v1/session/list')).toEqual([])
  })

  it('denies a service, says what decides, and changes and deletes the intention', async () => {
    const all = () => api<readonly { ID: string; Action: string }[]>('/v1/connect/intentions')
    await page.go('#/intentions', 'Intentions')
    await page.send('New intention', { From: 'app', To: 'web', Action: 'deny' }, 'Save', /was created/)
    await page.send('New intention', { From: '*', To: 'web', Action: 'allow' }, 'Save', /was created/)
    await page.send('New intention', { From: '*', To: 'web' }, 'Save', /duplicate intention/i)
    expect((await all()).map(({ Action }) => Action)).toEqual(['deny', 'allow'])
    await page.send('May one service connect to another?', { From: 'app', To: 'web' }, 'What decides?', '')
    await page.says('.verdict', /app may not connect to web.*app to web, with the precedence 9.*overruled/s)
    await page.fill(page.form('May one service connect to another?'), { From: '' })
    expect(await page.page.locator('.verdict').count()).toBe(0)
    await page.page.getByRole('link', { name: 'app → web' }).click()
    await page.says('h1', 'Intention')
    await page.fill(page.form('Intention'), { Action: 'allow', Metadata: 'no pair' })
    await page.says('.blocked', /Each line of the metadata/)
    await page.send('Intention', { Metadata: 'team=a' }, 'Save', /The intention was saved/)
    expect(await all()).toMatchObject([{ Action: 'allow', Meta: { team: 'a' } }, {}])
    await page.confirm(page.form('Intention'), 'Delete')
    await page.says('main', /no such intention/)
    expect(await all()).toHaveLength(1)
  })

  it('makes a policy and a token, and explains what the token may do', async () => {
    await page.go('#/access', 'Access')
    await page.says('main', /Who you are.*Master Token/s)
    await page.send('New policy', { Name: 'n7', Rules: 'nonsense {' }, 'Create', /Failed to parse|Invalid|expected/i)
    await page.send('New policy', { 'Begin with the rules of': 'agent' }, 'Create', /The policy n7 was created/)
    const policies = await api<readonly { ID: string; Name: string }[]>('/v1/acl/policies')
    const policy = policies.find(({ Name }) => Name === 'n7')
    expect(await api(`/v1/acl/policy/${policy?.ID}`)).toMatchObject({ Rules: expect.stringContaining('node "n7"') })
    await page.form('New token').getByLabel('n7').check()
    await page.send('New token', { Description: 'for n7' }, 'Create', /The token for n7 was created/)
    const secret = await page.form('New token').locator('code').first().textContent()
    const tokens = await api<readonly { AccessorID: string; Description: string }[]>('/v1/acl/tokens')
    const token = tokens.find(({ Description }) => Description === 'for n7')
    expect(await api(`/v1/acl/token/${token?.AccessorID}`)).toMatchObject({
      SecretID: secret,
      Policies: [{ Name: 'n7' }],
    })
    const explain = page.page.locator('section', { hasText: 'Does a token have a right?' })
    await page.fill(explain, {
      Resource: 'node',
      Right: 'write',
      'Name of the resource': 'n7',
      'Accessor ID': token?.AccessorID ?? '',
    })
    await explain.getByRole('button', { name: 'Why?' }).click()
    await page.says('.explained output', /is allowed this, because node "n7" is "write" in the policy n7/)
    await page.go(`#/access/token/${token?.AccessorID}`, 'Token')
    await page.confirm(page.page.locator('main'), 'Delete')
    await page.says('main', /no such token|was deleted/)
    expect(JSON.stringify(await api('/v1/acl/tokens'))).not.toContain('for n7')
  })

  it('makes, executes, changes and deletes a prepared query', async () => {
    const all = () => api<readonly { Service: object }[]>('/v1/query')
    await page.go('#/queries', 'Prepared queries')
    await page.send(
      'New query',
      { Name: 'q', Service: 'db', 'Then these datacenters, with commas': 'dc1' },
      'Save',
      /was created/,
    )
    expect(await all()).toMatchObject([{ Name: 'q', Service: { Service: 'db', Failover: { Datacenters: ['dc1'] } } }])
    await page.page.getByRole('button', { name: 'Dry run of q' }).click()
    await page.says('.verdict', /Answered by the query q, for the service db.*1 instance in dc1/s)
    await expect.poll(() => page.page.evaluate('document.activeElement.className')).toBe('verdict')
    await page.page.getByRole('link', { name: 'q', exact: true }).click()
    await page.says('h1', 'Query q')
    await page.send('Change the query', { 'Time to live of DNS answers': 'soon' }, 'Save', /TTL/i)
    await page.send('Change the query', { 'Time to live of DNS answers': '5s' }, 'Save', /The query was saved/)
    expect(await all()).toMatchObject([{ DNS: { TTL: '5s' }, Service: { Failover: { Datacenters: ['dc1'] } } }])
    await page.confirm(page.form('Change the query'), 'Delete')
    await page.says('main', /no such query/)
    expect(await all()).toEqual([])
  })

  it('changes the settings of autopilot and of the certificate authority', async () => {
    await page.go('#/cluster', 'Cluster')
    const trailing = 'Longest lag of a healthy server, in log entries'
    await page.send('Settings of autopilot', { [trailing]: '300' }, 'Save', /The settings were saved/)
    expect(await api('/v1/operator/autopilot/configuration')).toMatchObject({ MaxTrailingLogs: 300 })
    await page.go('#/authority', 'Certificates')
    await page.says('main', /active: signs all leaves.*in \d+ days.*No rotation is under way/s)
    const settings = 'Settings of the provider, in JSON'
    await page.send('Configuration', { [settings]: '{"LeafCertTTL": "1s"}' }, 'Save the configuration', /leaf/i)
    await page.send('Configuration', { [settings]: '{"LeafCertTTL": "48h"}' }, 'Save the configuration', /was saved/)
    expect(await api('/v1/connect/ca/configuration')).toMatchObject({ Config: { LeafCertTTL: '48h' } })
  })

  it('tells what happened in the last minutes, stands still while paused, and watches keys', async () => {
    await page.go('#/happenings', 'Last 15 minutes')
    await page.says('.happenings', /Check _service_maintenance:web of web on .* became critical/)
    await page.page.getByLabel('Watch keys below').fill('app/')
    await page.page.keyboard.press('Enter')
    await page.says('main', /Keys below app\/ are watched/)
    await api('/v1/kv/app/first', 'PUT', '1')
    // The first answer is what the page compares later answers with, so it is no happening itself.
    await expect
      .poll(async () => {
        await api('/v1/kv/app/again', 'PUT', String(Math.random()))
        return page.page.locator('.happenings').textContent()
      })
      .toMatch(/Key app\/again was (?:created|written)/)
    await page.page.getByRole('button', { name: 'Pause' }).click()
    await api('/v1/kv/app/unseen', 'PUT', '1')
    await page.says('.page-head button', /Go on: [1-9]/)
    expect(await page.page.locator('.happenings').textContent()).not.toContain('app/unseen')
    await page.page.getByRole('button', { name: /Go on/ }).click()
    await page.says('.happenings', /Key app\/unseen was created/)
  })

  it('says that there is no leader, and that the agent does not answer, and goes on when it can', async () => {
    await page.go('#/keys', 'Keys')
    await page.page.route('**/v1/**', (route) => route.fulfill({ status: 500, body: 'No cluster leader' }))
    await page.go('#/sessions', 'Sessions')
    await page.says('.problem', /The servers have no leader/)
    await page.page.unroute('**/v1/**')
    await page.says('main', /There are no sessions/)
    await page.context.setOffline(true)
    await page.go('#/queries', 'Prepared queries')
    await page.says('.problem', /The agent does not answer/)
    await page.context.setOffline(false)
    await page.says('main', /There are no prepared queries/)
    expect(await page.page.locator('.problem').count()).toBe(0)
  })

  it('makes the first token of a cluster, uses it in the tab, and says that there is no second one', async () => {
    const acl = { enabled: true, default_policy: 'deny' }
    const other = devAgent(await freePorts(), `-config-file=${writeConfig(workplace.path, 'first.json', { acl })}`)
    onTestFinished(() => void other.stop('SIGKILL'))
    await leads(other)
    await page.page.goto(`http://${other.address}/ui/#/access`)
    const first = page.page.locator('section[aria-labelledby=first]')
    await page.confirm(first, 'Make the first token')
    await page.says('section[aria-labelledby=first]', /The first token was made/)
    const secret = (await first.locator('.actions code').textContent()) ?? ''
    const self = await fetch(`http://${other.address}/v1/acl/token/self`, { headers: { 'X-Svc-Token': secret } })
    expect(await self.json()).toMatchObject({ SecretID: secret, Policies: [{ Name: 'global-management' }] })
    await first.getByRole('button', { name: 'Use it in this tab' }).click()
    await page.says('main', /global-management/)
    expect(await first.count()).toBe(0)
    await page.page.keyboard.press('t')
    await page.page.getByRole('button', { name: 'Use no token' }).click()
    await page.confirm(first, 'Make the first token')
    await page.says('section[aria-labelledby=first]', /was made before/)
    await page.go('#/services', 'Services')
  })

  it('is used by keyboard alone: a page, a key, and a token', async () => {
    const { keyboard } = page.page
    await page.page.evaluate('document.activeElement.blur()')
    await keyboard.press('g')
    await keyboard.press('k')
    await page.says('h1', 'Keys')
    const focused = () => page.page.evaluate<string>('document.activeElement.textContent')
    // A link has led here, so a reader hears the title.
    await expect.poll(focused).toBe('Keys')
    await keyboard.press('/')
    await expect.poll(() => page.page.evaluate(`document.activeElement.getAttribute('type')`)).toBe('search')
    const label = () => page.page.evaluate('document.activeElement.labels?.[0]?.textContent')
    for (let steps = 0; (await label()) !== 'Name' && steps < 40; steps++) await keyboard.press('Tab')
    await keyboard.type('by/keyboard')
    await keyboard.press('Enter')
    await page.says('.done', /by\/keyboard was created/)
    expect(await raw('/v1/kv/by/?keys')).toContain('by/keyboard')
  })

  const check = async (places: readonly string[], colorScheme: 'light' | 'dark'): Promise<readonly string[]> => {
    const found: string[] = []
    await page.page.emulateMedia({ colorScheme })
    for (const place of places) {
      await page.page.goto(`http://${agent.address}/ui/#/${place}`)
      await expect.poll(() => page.page.locator('.loading').count()).toBe(0)
      found.push(...(await page.violations()).map((violation) => `${colorScheme} ${place}: ${violation}`))
    }
    return found
  }

  it.skipIf(checkerScript === undefined)('breaks no rule of accessibility that axe-core can find', async () => {
    expect(await check(['services/web'], 'dark')).toEqual([])
  })

  // Each page takes the checker a second or two of CPU time.
  it.skipIf(checkerScript === undefined || process.env['SVC_TEST_LONG'] !== '1')(
    'breaks none on any page, in light and in dark',
    async () => {
      expect([...(await check(allPlaces, 'light')), ...(await check(allPlaces, 'dark'))]).toEqual([])
    },
  )

  it('has thrown nothing, and its content policy has stopped nothing', () => {
    expect(page.problems).toEqual([])
  })
})

const allPlaces = [
  ...['services', 'services/web', 'nodes', 'keys', 'keys/key/by%2Fkeyboard', 'sessions', 'queries', 'intentions'],
  ...['access', 'cluster', 'authority', 'happenings'],
]

/** A token for each, because the anonymous one may register nothing. */
const services = [
  { name: 'web', port: 8080, check: { ttl: '60s' } },
  proxy('web-proxy', 21_000, 'web', 'db'),
  proxy('app-web-proxy', 21_001, 'app', 'web'),
  { name: 'db', port: 5432 },
].map((service) => ({ ...service, token: master }))

function proxy(name: string, port: number, of: string, to: string): object {
  const upstreams = [{ destination_name: to, local_bind_port: port + 100 }]
  return { name, kind: 'connect-proxy', port, proxy: { destination_service_name: of, upstreams } }
}
