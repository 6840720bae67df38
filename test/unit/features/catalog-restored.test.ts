import { describe, expect, it } from 'vitest'
import { catalogRegister, catalogRegisterMesh } from '../../../src/features/catalog/commands.ts'
import { serviceOfNode } from '../../../src/features/catalog/views.ts'
import { LoneServer } from './lone-server.ts'

const facts = {
  kind: '',
  id: 'web-1',
  service: 'web',
  tags: ['v1'],
  address: '',
  meta: null,
  port: 80,
  weights: { passing: 1, warning: 1 },
  enableTagOverride: false,
}
/** As an agent may send it: MessagePack can tell a member that is undefined from an absent one. */
const withUndefined = { ...facts, mesh: undefined }

async function register(server: LoneServer, command: typeof catalogRegister, service: typeof facts): Promise<unknown> {
  const node = { id: '', node: 'n', address: '10.0.0.1', taggedAddresses: null, meta: null }
  const written = await server.context.propose(command, { node, skipNodeUpdate: false, service, checks: [] })
  expect(written).toMatchObject({ ok: true, value: { refusal: null } })
  return serviceOfNode(server.read(), 'n', 'web-1')?.modifyIndex
}

function restored(server: LoneServer): LoneServer {
  const again = new LoneServer()
  const [snapshot, restore] = [server.state.snapshot(), again.state.restore()]
  for (let piece = snapshot.next(); piece !== undefined; piece = snapshot.next()) restore.write(piece)
  expect(restore.finish().ok).toBe(true)
  return again
}

describe('a service that is registered again, unchanged', () => {
  it.each([
    ['without the mesh', catalogRegister],
    ['with it', catalogRegisterMesh],
  ])('is unchanged on each server, restored or not: %s', async (_, command) => {
    for (const first of [facts, withUndefined]) {
      for (const second of [facts, withUndefined]) {
        const server = new LoneServer()
        const index = await register(server, command, first)
        const other = restored(server)
        expect(await register(other, command, second)).toBe(index)
        expect(await register(server, command, second)).toBe(index)
      }
    }
  })
})
