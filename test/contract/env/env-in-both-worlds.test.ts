import { describe, it } from 'vitest'
import { makeTlsMaterial, opensslIsThere } from '../host/tls-material.ts'
import { crashLaws } from './crash-laws.ts'
import { cryptoLaws } from './crypto-laws.ts'
import { diskLaws } from './disk-laws.ts'
import { hostWorld } from './host-world.ts'
import { httpLaws } from './http-laws.ts'
import type { Law, LawWorld } from './law-world.ts'
import { meshLaws } from './mesh-laws.ts'
import { nameLaws } from './name-laws.ts'
import { processLaws } from './process-laws.ts'
import { simWorld } from './sim-world.ts'
import { tcpLaws } from './tcp-laws.ts'
import { timeLaws } from './time-laws.ts'
import { tlsLaws } from './tls-laws.ts'
import { udpLaws } from './udp-laws.ts'

const openssl = opensslIsThere()
const tls = openssl ? makeTlsMaterial() : undefined

/**
 * What every Env keeps, whichever world it is made of: or the simulator would prove things of a world that is not
 * there.
 */
function environmentLaws(name: string, world: LawWorld): void {
  describe(`an Env ${name}`, () => {
    const law: Law = (title, look) => it(title, () => world.look(look))
    describe('time and chance', () => timeLaws(law))
    describe('keys and signatures', () => cryptoLaws(law))
    describe('TCP', () => tcpLaws(law))
    describe('TLS', () => {
      tlsLaws((title, look) =>
        it(title, async (context) => {
          if (!openssl) context.skip('the openssl command, which makes the certificates, is not there')
          await world.look(look)
        }),
      )
    })
    describe('TLS of a mesh', () => meshLaws(law))
    describe('UDP', () => udpLaws(law))
    describe('names of hosts', () => nameLaws(law))
    describe('disk', () => diskLaws(law))
    describe('HTTP', () => httpLaws(law))
    describe('programs and the machine', () => processLaws(law))
    describe('a power cut', () => {
      crashLaws((title, before, after) =>
        it(title, async (context) => {
          if (world.crash === undefined) context.skip('the power of the machine that runs the tests cannot be cut')
          await world.crash?.look(before, after)
        }),
      )
    })
  })
}

environmentLaws('in the simulator', simWorld(tls))
environmentLaws('on Node', hostWorld(tls))
