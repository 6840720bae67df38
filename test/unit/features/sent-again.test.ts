import { describe, expect, it } from 'vitest'
import { unrestricted } from '../../../src/access/authorizer.ts'
import { tokenSetEndpoint } from '../../../src/features/acl/tokens/token-write-endpoints.ts'
import { serviceOfNode } from '../../../src/features/catalog/views.ts'
import { deregisterEndpoint } from '../../../src/features/catalog/write-endpoints.ts'
import { applyEndpoint } from '../../../src/features/intention/apply-endpoint.ts'
import { intentionById } from '../../../src/features/intention/views.ts'
import { destroyEndpoint } from '../../../src/features/session/endpoint.ts'
import { AccessWorld } from './access-world.ts'
import { AclWorld } from './acl-world.ts'
import { type Grant, Rights } from './rights-of.ts'

const first = { origin: 'agent/boot', sequence: 1 }
const second = { origin: 'agent/boot', sequence: 2 }

/** A call as its agent sends it again, because the answer to its first attempt was lost. */
describe('a deletion with few rights that is sent again after it took effect', () => {
  it('of a session is answered as before, and one by another call is refused', async () => {
    const { server, session } = await AccessWorld.begun()
    const rights = new Rights(['session:node-a:write', 'session:node-a:read'])
    const destroy = (identity: typeof first) => destroyEndpoint.serve(server.context, { id: session }, identity, rights)
    expect(await destroy(first)).toEqual({ ok: true, value: true })
    expect(await destroy(first)).toEqual({ ok: true, value: true })
    expect(await destroy(second)).toMatchObject({ ok: false, error: { message: `Unknown session "${session}"` } })
  })

  it('of an intention is answered as before, and one by another call is refused', async () => {
    const { server, intention } = await AccessWorld.begun()
    const name = intentionById(server.read(), intention)?.destination.name ?? ''
    const granted: Grant[] = [`intention:${name}:write`, `intention:${name}:read`]
    const remove = (identity: typeof first, rights = new Rights(granted)) =>
      applyEndpoint.serve(server.context, { operation: 'delete', id: intention }, identity, rights)
    expect(await remove(first, new Rights())).toMatchObject({ ok: false })
    expect(await remove(first)).toEqual({ ok: true, value: intention })
    expect(await remove(first)).toEqual({ ok: true, value: intention })
    expect(await remove(second)).toMatchObject({ ok: false, error: { kind: 'bad-request' } })
  })

  it('of an instance is answered as before, and one by another call is refused', async () => {
    const { server } = await AccessWorld.begun()
    const args = { node: 'node-a', serviceId: 'web', checkId: '' }
    const remove = (identity: typeof first, rights = new Rights(['service:web:write'])) =>
      deregisterEndpoint.serve(server.context, args, identity, rights)
    const refused = { ok: false, error: { kind: 'permission-denied' } }
    expect(await remove(first, new Rights())).toMatchObject(refused)
    expect(serviceOfNode(server.read(), 'node-a', 'web')).toBeDefined()
    expect(await remove(first)).toEqual({ ok: true, value: true })
    expect(await remove(first)).toEqual({ ok: true, value: true })
    expect(await remove(second)).toMatchObject(refused)
  })
})

describe('an edit of a token that is sent again after it took effect', () => {
  const said = { secret: '', description: 'one', policies: [], local: false, rules: false, type: false }

  it('is answered as before, unless the token was changed again since', async () => {
    const world = await AclWorld.begun()
    const { context } = world.server
    const { accessor } = await world.tokenOf('key "a" { policy = "read" }')
    const edit = { ...said, accessor }
    const again = () => tokenSetEndpoint.repeated?.(context, edit, first)
    expect(again()).toBeUndefined()
    const done = await tokenSetEndpoint.serve(context, edit, first, unrestricted)
    expect(done).toMatchObject({ ok: true, value: { accessor, description: 'one' } })
    expect(again()).toEqual(done)
    const other = { ...edit, description: 'two' }
    expect(await tokenSetEndpoint.serve(context, other, second, unrestricted)).toMatchObject({ ok: true })
    expect(again()).toMatchObject({ ok: false, error: { kind: 'outcome-unknown', final: true } })
  })
})
