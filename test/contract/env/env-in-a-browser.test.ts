import { describe, it } from 'vitest'
import { webPlatformOnNode } from '../../tools/web-platform.ts'
import { makeTlsMaterial, opensslIsThere } from '../host/tls-material.ts'
import { cryptoLaws } from './crypto-laws.ts'
import type { Law } from './law-world.ts'
import { meshLaws } from './mesh-laws.ts'
import { simWorld } from './sim-world.ts'
import { tlsLaws } from './tls-laws.ts'

const openssl = opensslIsThere()
const world = simWorld(openssl ? makeTlsMaterial() : undefined, webPlatformOnNode)

/** Of the laws of an Env, those for which a simulation asks its platform. */
describe("an Env in the simulator on a browser's platform", () => {
  const law: Law = (title, look) => it(title, () => world.look(look))
  describe('keys and signatures', () => cryptoLaws(law))
  describe('TLS', () => {
    tlsLaws((title, look) =>
      it(title, async (context) => {
        if (!openssl) context.skip('the openssl command, which makes the certificates, is not there')
        await world.look(look)
      }),
    )
  })
  describe('TLS of a mesh', () => meshLaws(law))
})
