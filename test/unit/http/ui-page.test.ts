import { Script } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { page } from '../../../src/http/ui/built-in.ts'
import { script } from '../../../src/http/ui/script.ts'

/** As much of a browser as the page's script asks for. It knows text and elements; markup it could not read. */
class Element {
  readonly attributes = new Map<string, string>()
  readonly dataset: Record<string, string> = {}
  readonly heard = new Map<string, (event: object) => void>()
  children: (Element | string)[] = []
  value = ''
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
  get textContent(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.textContent)).join('')
  }
  set textContent(text: string) {
    this.children = text === '' ? [] : [text]
  }
  set innerHTML(_markup: string) {
    throw new Error('markup')
  }
  append(child: Element | string): void {
    this.children.push(child)
  }
  replaceChildren(...children: (Element | string)[]): void {
    this.children = children
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value)
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name)
  }
  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null
  }
  contains(other: Element | undefined): boolean {
    return this.all().some((each) => each === other)
  }
  all(name?: string): Element[] {
    const below = this.children.flatMap((child) => (typeof child === 'string' ? [] : [child, ...child.all()]))
    return name === undefined ? below : below.filter((each) => each.name === name)
  }
  querySelectorAll(name: string): Element[] {
    return this.all(name)
  }
  addEventListener(name: string, listener: (event: object) => void): void {
    this.heard.set(name, listener)
  }
  focus(): void {
    this.focused++
  }
  focused = 0
}

interface Asked {
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
  answer(status: number, value: unknown, index?: number): Promise<void>
}

/** Lets what has been answered be worked off, and with it what follows at once. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The page opened at an address. Timers fire only in `pass`. */
async function opened(hash: string) {
  const elements = new Map<string, Element>()
  for (const [, id = ''] of page.matchAll(/ id="(\w+)"/g)) elements.set(id, new Element(id))
  const at = (id: string): Element => {
    const found = elements.get(id)
    if (found === undefined) throw new Error(`the page has no ${id}`)
    return found
  }
  const views = [...page.matchAll(/data-view="(\w+)"/g)].map(([, view = '']) => {
    const made = new Element('a')
    made.dataset['view'] = view
    return made
  })
  const asked: Asked[] = []
  const timers: (() => void)[] = []
  const windowHeard = new Map<string, () => void>()
  const location = { hash }
  const world = {
    document: {
      documentElement: { dataset: { product: 'Svc' } },
      activeElement: undefined,
      getElementById: at,
      createElement: (name: string) => new Element(name),
      querySelectorAll: () => views,
    },
    location,
    addEventListener: (name: string, listener: () => void) => windowHeard.set(name, listener),
    setTimeout: (fire: () => void) => timers.push(fire),
    clearTimeout: () => {},
    fetch: (target: string, { headers, signal }: { headers: Record<string, string>; signal?: AbortSignal }) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')))
        const [path = '', query = ''] = target.split('?')
        const answer = async (status: number, value: unknown, index?: number): Promise<void> => {
          const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
          const told = new Headers(index === undefined ? {} : { 'X-Svc-Index': String(index) })
          resolve({ ok: status < 400, status, headers: told, text: async () => text })
          await settled()
        }
        asked.push({ path, query: new URLSearchParams(query), headers, answer })
      }),
    AbortController,
    URLSearchParams,
    TextDecoder,
    Uint8Array,
    atob,
  }
  new Script(`(function (${Object.keys(world).join(', ')}) {${script}\n})`).runInThisContext()(...Object.values(world))
  await settled()
  const pass = async (): Promise<void> => {
    for (const fire of timers.splice(0)) fire()
    await settled()
  }
  const go = async (to: string): Promise<void> => {
    location.hash = to
    windowHeard.get('hashchange')?.()
    await settled()
  }
  const of = (path: string): Asked => {
    const found = asked.findLast((each) => each.path === path)
    if (found === undefined) throw new Error(`${path} was not asked, but ${asked.map((each) => each.path).join()}`)
    return found
  }
  return { at, asked, of, pass, go, views }
}

const links = (element: Element) => element.all('a').map((each) => each.getAttribute('href'))
const nasty = '<img src=x onerror=alert(1)>/../"'

describe('the page of the web interface', () => {
  it('lists services with their health, what they are called as text', async () => {
    const { at, of } = await opened('')
    const service = {
      Name: nasty,
      Tags: null,
      Nodes: ['a', 'b'],
      ChecksPassing: 3,
      ChecksWarning: 0,
      ChecksCritical: 1,
    }
    await of('/v1/internal/ui/services').answer(200, [service], 7)
    expect(at('title').textContent).toBe('Services')
    expect(at('status').textContent).toBe('1 service')
    expect(at('content').textContent).toContain(nasty)
    expect(at('content').textContent).toContain('✕ 1 critical, ✓ 3 passing')
    expect(at('content').all('img')).toEqual([])
    expect(links(at('content'))).toEqual([`#/services/${encodeURIComponent(nasty)}`])
  })

  it('asks on from the index that it saw, and begins anew when that went back or the agent failed', async () => {
    const { at, asked, of, pass } = await opened('#/nodes')
    const path = '/v1/internal/ui/nodes'
    const queries = () => asked.filter((each) => each.path === path).map(({ query }) => query.get('index'))
    await of(path).answer(200, [], 9)
    expect(queries()).toEqual([null])
    await pass()
    expect(of(path).query.get('wait')).toBe('60s')
    await of(path).answer(200, [{ Node: 'n1', Address: '10.0.0.1', Checks: [], Services: null }], 4)
    expect(at('content').textContent).toContain('n1')
    await pass()
    await of(path).answer(500, 'No cluster leader')
    expect(at('problem').textContent).toBe('Not up to date: No cluster leader')
    expect(at('content').textContent).toContain('n1')
    await pass()
    await of(path).answer(200, [], 5)
    expect(at('problem').textContent).toBe('')
    expect(queries()).toEqual([null, '9', null, null])
  })

  it.each([
    ['', 'Permission denied', 'This view needs a token that may read it.', 'Enter a token'],
    [
      'wrong',
      'ACL not found',
      'The token is not known here: it is mistyped, deleted, or of another datacenter.',
      'Enter another token',
    ],
    ['weak', 'Permission denied', 'The token may not read this view.', 'Enter another token'],
  ])(
    'says to the token %j that is answered %j what is wrong, and leads to where one is entered',
    async (token, said, told, button) => {
      const { at, asked, of, pass } = await opened('#/nodes')
      await of('/v1/internal/ui/nodes').answer(200, [{ Node: 'n1', Address: '', Checks: [], Services: [] }], 3)
      at('token').value = token
      at('token').heard.get('change')?.({})
      await settled()
      await of('/v1/internal/ui/nodes').answer(403, said)
      expect(at('problem').textContent).toBe(told)
      expect(at('status').textContent).toBe('')
      expect(at('content').textContent).toBe(button)
      at('content').all('button')[0]?.heard.get('click')?.({})
      expect(at('token').focused).toBe(1)
      const before = asked.length
      await pass()
      expect(asked).toHaveLength(before)
      at('token').value = 'right'
      at('token').heard.get('change')?.({})
      await settled()
      await of('/v1/internal/ui/nodes').answer(200, [{ Node: 'n2', Address: '', Checks: [], Services: [] }], 3)
      expect([at('problem').textContent, at('status').textContent]).toEqual(['', '1 node'])
      expect(at('content').textContent).toContain('n2')
    },
  )

  it('does not load for ever where the agent cannot answer', async () => {
    const { at, of } = await opened('#/nodes')
    await of('/v1/internal/ui/nodes').answer(500, 'No cluster leader')
    expect(at('problem').textContent).toBe('The agent cannot answer: No cluster leader')
    expect(at('status').textContent).toBe('')
  })

  it('says that a service is not found, and of lists that are empty that a token may be missing', async () => {
    const { at, of, go } = await opened('#/services/nope')
    await of('/v1/health/service/nope').answer(200, [], 3)
    expect(at('status').textContent).toBe('Service nope is not found, or may not be read without a token.')
    expect(at('content').textContent).toBe('')
    await go('#/services')
    at('token').value = 'weak'
    await of('/v1/internal/ui/services').answer(200, [], 3)
    expect(at('status').textContent).toBe('No services, or none that the token may read.')
    await go('#/services/web')
    const instance = { Node: { Node: 'n', Address: '10.0.0.1' }, Service: { ID: 'web', Port: 80 }, Checks: [] }
    await of('/v1/health/service/web').answer(200, [instance], 3)
    expect(at('status').textContent).toBe('1 instance')
  })

  it('leaves a view that is no longer looked at, whatever its requests still answer', async () => {
    const { at, asked, of, pass, go, views } = await opened('#/nodes')
    const nodes = of('/v1/internal/ui/nodes')
    await go('#/services/web')
    await nodes.answer(200, [{ Node: 'late', Address: '', Checks: [], Services: [] }], 3)
    expect(at('title').textContent).toBe('Service web')
    expect(at('content').textContent).not.toContain('late')
    await pass()
    expect(asked.filter(({ path }) => path === '/v1/internal/ui/nodes')).toHaveLength(1)
    expect(views.map((each) => each.getAttribute('aria-current'))).toEqual(['page', null, null])
  })

  it('shows keys folder by folder, and a value as text or, where it is none, in base64', async () => {
    const { at, of, go } = await opened('#/keys/app%2F')
    const { query, answer } = of('/v1/kv/app/')
    expect([...query]).toEqual([
      ['keys', ''],
      ['separator', '/'],
    ])
    await answer(200, ['app/', 'app/a b', 'app/sub/'], 3)
    expect(links(at('content'))).toEqual(['#/keys/', '#/key/app%2F', '#/key/app%2Fa%20b', '#/keys/app%2Fsub%2F'])
    await go('#/key/app%2Fa%20b')
    const entry = { Value: 'PGI+w7w8L2I+', Flags: 0, CreateIndex: 1, ModifyIndex: 2 }
    await of('/v1/kv/app/a%20b').answer(200, [entry], 4)
    expect(at('content').all('pre')[0]?.textContent).toBe('<b>ü</b>')
    await go('#/key/bin')
    await of('/v1/kv/bin').answer(200, [{ ...entry, Value: '//8=' }], 4)
    expect(at('content').all('pre')[0]?.textContent).toBe('//8=')
    await go('#/key/gone')
    await of('/v1/kv/gone').answer(404, undefined, 4)
    expect(at('status').textContent).toBe('There is no such key.')
  })

  it('asks in the datacenter and with the token that were chosen', async () => {
    const { at, of } = await opened('')
    await of('/v1/catalog/datacenters').answer(200, ['dc2', 'dc1'])
    await of('/v1/agent/self').answer(200, { Config: { Datacenter: 'dc1' } })
    expect(
      at('datacenter')
        .all('option')
        .map((each) => each.textContent),
    ).toEqual(['dc1', 'dc2'])
    at('datacenter').value = 'dc2'
    at('token').value = 'secret'
    at('datacenter').heard.get('change')?.({})
    await settled()
    const { query, headers } = of('/v1/internal/ui/services')
    expect([query.get('dc'), headers['X-Svc-Token']]).toEqual(['dc2', 'secret'])
  })

  it('gives every table a caption, heads that say what they are of, and its messages to readers that cannot see them', async () => {
    const { at, of } = await opened('#/nodes/n1')
    const checks = [{ CheckID: 'c', Name: '', Status: 'critical', ServiceName: '', Output: '<b>' }]
    const services = [{ Service: 'web', ID: 'w1', Port: 80, Tags: ['a'] }]
    await of('/v1/internal/ui/node/n1').answer(
      200,
      { Node: 'n1', Address: '10.0.0.1', Services: services, Checks: checks },
      2,
    )
    expect(
      at('content')
        .all('caption')
        .map((each) => each.textContent),
    ).toEqual(['Services', 'Checks'])
    expect(
      at('content')
        .all('th')
        .every((each) => each.getAttribute('scope') !== null),
    ).toBe(true)
    expect(page).toMatch(/<p id="problem" role="alert">.*\n.*<p id="status" role="status">/)
    expect(page).toContain('<html lang="en"')
  })
})
