import { describe, expect, it } from 'vitest'
import { features } from '../../../src/agent/assembly/features.ts'
import { encodeCommand } from '../../../src/agent/replication/command-codec.ts'
import { outcomeWithoutEntry } from '../../../src/agent/requests/serving/without-entry.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import { bootstrap } from '../../../src/features/acl/system/mode-commands.ts'
import type { CommandDefinition } from '../../../src/features/contract/command.ts'
import { queryDelete } from '../../../src/features/query/commands.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import { nonsense } from '../../nonsense.ts'
import { AccessWorld } from '../features/access-world.ts'

const commands = features.flatMap((feature) => feature.commands ?? [])
const unknownId = 'cccccccc-0000-4000-8000-00000000000c'
const leads = async (): Promise<Result<undefined, Failure>> => ok(undefined)

function applied({ server }: AccessWorld, command: CommandDefinition, body: unknown, sequence?: number): unknown {
  const identity = sequence === undefined ? undefined : { origin: 'a', sequence }
  const payload = encodeCommand(command, body, identity)
  const entry = { index: logIndexOf(server.index + 1), term: termOf(1), kind: 'command', payload } as const
  const result = server.state.apply(entry)?.result
  return result?.ok === true ? result.value : result
}

describe('a write that changes nothing', () => {
  const promising = commands.filter(({ withoutEffect }) => withoutEffect !== undefined)

  it('is one of these', () => {
    expect(promising.map(({ kind }) => kind).sort()).toEqual([
      'acl.bootstrap',
      'acl.bootstrap-legacy',
      'intention.delete',
      'intention.update',
      'query.create',
      'query.delete',
      'query.update',
      'session.destroy',
    ])
  })

  for (const command of promising) {
    it(`of ${command.kind} has the outcome that its command has, and that changes nothing`, async () => {
      const world = await AccessWorld.begun()
      applied(world, bootstrap as CommandDefinition, {
        accessor: unknownId,
        secret: unknownId,
        createdMs: 1,
        resetIndex: 0,
      })
      const { state } = world.server
      const texts = ['', '', unknownId, world.query, world.unnamed, world.intention, world.session, 'q', 'web']
      let foregone = 0
      for (let turn = 0; turn < 400; turn++) {
        const body = command.body.safeParse(nonsense(command.body, texts, turn))
        const outcome = body.success ? command.withoutEffect?.(state.store.read(), body.data) : undefined
        if (!body.success || outcome === undefined) continue
        const before = state.store.digest()?.digest
        expect(applied(world, command, body.data)).toEqual(outcome)
        expect(state.store.digest()?.digest).toBe(before)
        foregone++
      }
      expect(foregone).toBeGreaterThan(0)
    })
  }

  it('is proposed where it may change something', async () => {
    const { server, query } = await AccessWorld.begun()
    const { state } = server
    expect(await outcomeWithoutEntry({ state, leads }, queryDelete, { id: query }, undefined)).toBeUndefined()
  })

  it('is no entry of the log: the leader answers it', async () => {
    const { server } = await AccessWorld.begun()
    const before = server.index
    const outcome = await server.context.propose(queryDelete, { id: unknownId })
    expect(outcome).toEqual(ok({ refusal: `Cannot modify non-existent prepared query: '${unknownId}'` }))
    expect(server.index).toBe(before)
  })

  it('is answered only by a leader that is still one', async () => {
    const { server } = await AccessWorld.begun()
    const { state } = server
    const deposed = async (): Promise<Result<undefined, Failure>> => err({ kind: 'not-leader', leader: undefined })
    const asked = outcomeWithoutEntry({ state, leads: deposed }, queryDelete, { id: unknownId }, undefined)
    expect(await asked).toEqual(err({ kind: 'not-leader', leader: undefined }))
  })

  it('that took effect before is not one: sent again, it has the outcome that it had', async () => {
    const world = await AccessWorld.begun()
    const { server, query } = world
    const identity = { origin: 'a', sequence: 7 }
    expect(applied(world, queryDelete as CommandDefinition, { id: query }, identity.sequence)).toEqual({ id: query })
    const before = server.index
    expect(await server.context.propose(queryDelete, { id: query }, identity)).toEqual(ok({ id: query }))
    expect(await server.context.propose(queryDelete, { id: query }, { origin: 'a', sequence: 8 })).toEqual(
      ok({ refusal: `Cannot modify non-existent prepared query: '${query}'` }),
    )
    expect(server.index).toBe(before)
  })

  it('takes effect while it is made sure that the server leads: then it is proposed', async () => {
    const world = await AccessWorld.begun()
    const { server, query } = world
    const { state } = server
    let there = false
    const store = { read: () => (there ? state.store.read() : empty.server.state.store.read()) }
    const empty = await AccessWorld.begun()
    applied(empty, queryDelete as CommandDefinition, { id: empty.query })
    const catchingUp = async (): Promise<Result<undefined, Failure>> => {
      there = true
      return ok(undefined)
    }
    const late = { store, outcomeOf: () => undefined } as unknown as typeof state
    expect(
      await outcomeWithoutEntry({ state: late, leads: catchingUp }, queryDelete, { id: query }, undefined),
    ).toBeUndefined()
  })
})
