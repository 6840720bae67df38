import { expect, it } from 'vitest'
import { SecretsManager } from '../../../sim/secrets-manager/secrets-manager.ts'
import type { Env } from '../../../src/env/env.ts'
import type { ProviderOptions } from '../../../src/features/connect/model.ts'
import { externalKind } from '../../../src/features/connect/provider/external/external-kind.ts'
import type {
  Provided,
  ProvidedRoot,
  Provider,
  ProviderFailure,
  ProviderReview,
} from '../../../src/features/connect/provider/provider.ts'
import { onMachine } from '../../conformance/secrets-manager/machine.ts'
import { hourMs, leafWish, managerOptions, managerToken, mesh, must } from '../../contract/connect/provider-world.ts'

export const address = 'http://10.0.0.1:8200'
export const allMounts = ['mesh-root', 'mesh-intermediate', 'mesh-root-2', 'mesh-intermediate-2']
export const dayMs = 24 * hourMs

export interface Scene {
  readonly env: Env
  readonly manager: SecretsManager
  open(more?: ProviderOptions): Provider
  pass(ms: number): Promise<void>
}

/** A stand-in and providers on one machine; virtual time. */
export function scene(title: string, play: (scene: Scene) => Promise<void>): void {
  it(title, () =>
    onMachine(async (env) => {
      const manager = new SecretsManager(env)
      manager.tokens.add({ id: managerToken, ttl: 3_600, renewable: true, mounts: allMounts, sudo: true })
      must(await manager.serve({ host: '10.0.0.1', port: 8200 }))
      const opened: Provider[] = []
      await play({
        env,
        manager,
        open: (more = {}) => {
          const provider = externalKind.open(env, managerOptions(address, more), mesh)
          opened.push(provider)
          return provider
        },
        pass: async (ms) => {
          const passed = env.deferred<undefined>()
          env.timers.after(ms, () => passed.resolve(undefined))
          await passed.promise
        },
      })
      for (const provider of opened) provider.close()
    }),
  )
}

export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: ProviderFailure }

export function failureOf(answer: Answer): ProviderFailure {
  if (answer.ok) throw new Error('it was done')
  expect(answer.error.message).not.toContain(managerToken)
  return answer.error
}

export async function signed(provider: Provider, env: Env, lifeMs = 72 * hourMs): Promise<Answer> {
  return provider.signLeaf((await leafWish(env, 'web', lifeMs)).wish)
}

export async function reviewed(provider: Provider, root: ProvidedRoot): Provided<ProviderReview> {
  if (provider.review === undefined) throw new Error('it reviews nothing')
  return provider.review(root)
}

export const signCall = 'PUT mesh-intermediate/sign/'
