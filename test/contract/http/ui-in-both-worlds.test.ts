import { symlinkSync, unlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import type { UiConfig } from '../../../src/agent/settings/http-settings.ts'
import { textOf } from '../../../src/base/bytes.ts'
import type { HttpClientRequest } from '../../../src/env/http.ts'
import { createHttpFace } from '../../../src/http/face.ts'
import { fileBytesMax } from '../../../src/http/ui/directory.ts'
import { fakeContext } from '../../unit/http/fake-context.ts'
import { writeFile } from '../env/disk-laws.ts'
import { hostWorld } from '../env/host-world.ts'
import type { LawWorld, Place } from '../env/law-world.ts'
import { got } from '../env/observed.ts'
import { simWorld } from '../env/sim-world.ts'

/** Status, headers in lower case, body of one request to a face with this web interface, from the other machine. */
async function served({ env, peer, host }: Place, ui: UiConfig) {
  const fake = fakeContext().context
  const context = { ...fake, env: { ...fake.env, disk: env.disk, shipped: env.shipped } }
  const face = createHttpFace({ context, routes: [], config: { ...defaultAgentConfig('n', host).http, ui } })
  const { local } = await got(env.http.serve({ host, port: 0 }, face))
  return async (line: string, headers: HttpClientRequest['headers'] = []) => {
    const [method = '', target = ''] = line.split(' ')
    const answer = await got(peer.http.request(local, { method, target, headers, timeoutMs: 5_000 }))
    return { status: answer.status, headers: answer.headers, body: textOf(answer.body) }
  }
}

const builtIn: UiConfig = { kind: 'built-in', contentPath: '/ui/' }
const directoryAt = (path: string): UiConfig => ({ kind: 'directory', path, contentPath: '/ui/' })

function uiLaws(name: string, world: LawWorld): void {
  describe(`the web interface ${name}`, () => {
    const law = (title: string, look: (place: Place) => Promise<void>) => it(title, () => world.look(look))

    law('is not there unless it was asked for', async (place) => {
      const ask = await served(place, { kind: 'off' })
      expect(await ask('GET /')).toMatchObject({ status: 200, body: 'Svc Agent' })
      for (const target of ['/ui', '/ui/', '/ui/app.js', '/ui/index.html']) {
        expect(await ask(`GET ${target}`), target).toMatchObject({ status: 404, body: '' })
      }
    })

    law('is what / leads to, with its files behind /ui/, each with its type', async (place) => {
      const ask = await served(place, builtIn)
      for (const target of ['/', '/ui']) {
        const led = await ask(`GET ${target}`)
        expect([led.status, led.headers.get('location')], target).toEqual([301, '/ui/'])
      }
      const types = { '': 'text/html', 'index.html': 'text/html', 'app.js': 'text/javascript', 'app.css': 'text/css' }
      for (const [file, type] of Object.entries(types)) {
        const { status, headers } = await ask(`GET /ui/${file}`)
        expect([status, headers.get('content-type')], file).toEqual([200, `${type}; charset=utf-8`])
        expect(headers.get('x-content-type-options')).toBe('nosniff')
      }
      const index = await ask('GET /ui/')
      expect(index.body).toContain('<!doctype html>')
      const deeper = await ask('GET /ui/services/web')
      expect(deeper.body).toBe(index.body.replace('"app.css"', '"../app.css"').replace('"app.js"', '"../app.js"'))
      expect((await ask('GET /ui/toString')).body).toBe(index.body)
      expect((await ask('GET /v1/nope')).status).toBe(404)
    })

    law('lets nothing run, and nobody be asked, but what comes from this agent', async (place) => {
      const ask = await served(place, builtIn)
      const { headers, body } = await ask('GET /ui/')
      const policy = headers.get('content-security-policy')?.split('; ')
      expect(policy).toEqual(
        expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]),
      )
      expect(policy?.join()).not.toContain('unsafe')
      expect(body).not.toMatch(/<style|\son\w+=|\sstyle=|<script(?! src="app\.js" defer><\/script>)|https?:/)
    })

    law('answers GET and HEAD alone', async (place) => {
      const ask = await served(place, builtIn)
      for (const method of ['PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH']) {
        const { status, headers } = await ask(`${method} /ui/`)
        expect([status, headers.get('allow')], method).toEqual([405, 'GET,HEAD'])
      }
      expect((await ask('HEAD /ui/app.js')).status).toBe(200)
    })

    law('is not sent again to a client that has it', async (place) => {
      const ask = await served(place, builtIn)
      const tag = (await ask('GET /ui/app.js')).headers.get('etag') ?? ''
      expect(tag).toMatch(/^W\/"[0-9a-f]+-[0-9a-f]+"$/)
      expect(await ask('GET /ui/app.js', [['If-None-Match', `"x", ${tag}`]])).toMatchObject({ status: 304, body: '' })
      expect((await ask('GET /ui/app.css', [['If-None-Match', tag]])).status).toBe(200)
    })

    law('is served below the content path, and nowhere else', async (place) => {
      const ask = await served(place, { kind: 'built-in', contentPath: '/ops/web/' })
      for (const target of ['/', '/ops/web']) {
        const led = await ask(`GET ${target}`)
        expect([led.status, led.headers.get('location')], target).toEqual([301, '/ops/web/'])
      }
      expect((await ask('GET /ops/web/')).body).toContain('data-up="../../"')
      expect((await ask('GET /ops/web/app.js')).headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      expect((await ask('GET /ui/')).status).toBe(404)
    })

    law('is sent to a client that does not accept gzip as the file itself, under the same tag', async (place) => {
      const ask = await served(place, builtIn)
      const plain = await ask('GET /ui/app.css')
      const packed = await ask('GET /ui/app.css', [['Accept-Encoding', 'br, gzip']])
      expect([plain.headers.get('content-encoding'), packed.headers.get('content-encoding')]).toEqual([
        undefined,
        'gzip',
      ])
      expect(plain.body).toContain('.skip')
      expect([plain, packed].map(({ headers }) => [headers.get('vary'), headers.get('etag')])).toEqual([
        ['Accept-Encoding', plain.headers.get('etag')],
        ['Accept-Encoding', plain.headers.get('etag')],
      ])
    })

    law('of a directory is its files, directories of it, and its index for what it has not', async (place) => {
      const { env, directory } = place
      await got(env.disk.makeDirectory(`${directory}/ui/sub.d`))
      const files = {
        'index.html': 'mine',
        'sub.d/index.html': 'below',
        'a b.SVG': '<svg/>',
        LICENSE: 'text',
        'ü.txt': 'u',
      }
      for (const [file, text] of Object.entries(files)) await writeFile(env, `${directory}/ui/${file}`, text)
      const ask = await served(place, directoryAt(`${directory}/ui`))
      const shown = async (target: string) => {
        const { status, headers, body } = await ask(`GET ${target}`)
        return [status, headers.get('content-type'), body]
      }
      const html = 'text/html; charset=utf-8'
      expect(await shown('/ui/')).toEqual([200, html, 'mine'])
      expect(await shown('/ui/app.js')).toEqual([200, html, 'mine'])
      expect(await shown('/ui/sub.d')).toEqual([200, html, 'below'])
      expect(await shown('/ui/sub.d/')).toEqual([200, html, 'below'])
      expect(await shown('/ui/a%20b.SVG')).toEqual([200, 'image/svg+xml', '<svg/>'])
      expect(await shown('/ui/LICENSE')).toEqual([200, 'application/octet-stream', 'text'])
      expect(await shown('/ui/%C3%BC.txt')).toEqual([200, 'text/plain; charset=utf-8', 'u'])
      await writeFile(env, `${directory}/ui/index.html`, 'changed')
      expect(await shown('/ui/')).toEqual([200, html, 'changed'])
      expect((await ask('PUT /ui/')).status).toBe(405)
    })

    law('of a directory shows nothing outside of it, nothing hidden, and nothing without end', async (place) => {
      const { env, directory } = place
      await got(env.disk.makeDirectory(`${directory}/ui/.git`))
      for (const file of ['secret', 'ui/.git/config', 'ui/.env']) await writeFile(env, `${directory}/${file}`, 'secret')
      const large = await got(env.disk.open(`${directory}/ui/large.js`, 'create'))
      await got(large.truncate(fileBytesMax + 1))
      await large.close()
      const ask = await served(place, directoryAt(`${directory}/ui`))
      for (const target of [
        '/ui/../secret',
        '/ui/%2e%2e/secret',
        '/ui/%2E%2E%2Fsecret',
        '/ui/..%2fsecret',
        '/ui/x/..%2f..%2fsecret',
        '/ui/%252e%252e%252fsecret',
        '/ui/..%5csecret',
        `/ui/${directory}/secret`,
        `/ui/${encodeURIComponent(`${directory}/secret`)}`,
        '/ui//secret',
        '/ui/.git/config',
        '/ui/.env',
        '/ui/.%65nv',
        '/ui/secret%00.html',
        '/ui/%ff',
        '/ui/nope',
      ]) {
        const { status, body } = await ask(`GET ${target}`)
        expect([301, 400, 404], target).toContain(status)
        expect(body, target).not.toBe('secret')
      }
      expect(await ask('GET /ui/large.js')).toMatchObject({ status: 500, body: 'The file is too large to be served' })
    })
  })
}

uiLaws('in the simulator', simWorld(undefined))
uiLaws('on Node', hostWorld(undefined))

describe('links in a directory of the web interface', () => {
  it('are followed to what lies below it, as a mounted set of files has them, and nowhere else', async () => {
    await hostWorld(undefined).look(async (place) => {
      const { env, directory } = place
      const ui = `${directory}/ui`
      for (const made of [`${ui}/..v1`, `${directory}/ui-of-others`, `${directory}/private`]) {
        await got(env.disk.makeDirectory(made))
      }
      await writeFile(env, `${ui}/index.html`, 'index')
      await writeFile(env, `${ui}/..v1/app.css`, 'a {}')
      for (const outside of ['secret', 'ui-of-others/secret', 'private/index.html']) {
        await writeFile(env, `${directory}/${outside}`, 'secret')
      }
      const links = {
        '..data': '..v1',
        'app.css': '..data/app.css',
        'up.css': '../secret',
        'absolute.css': `${directory}/secret`,
        'beside.css': '../ui-of-others/secret',
        'chained.css': 'up.css',
        elsewhere: '../private',
        'to-elsewhere': 'elsewhere',
        'file-of-elsewhere.html': 'elsewhere/index.html',
        'back.css': '../ui/..v1/app.css',
        'nowhere.css': 'no-such-file',
      }
      for (const [name, to] of Object.entries(links)) symlinkSync(to, `${ui}/${name}`)
      symlinkSync('ui', `${directory}/linked-ui`)
      for (const path of [ui, `${directory}/linked-ui`]) {
        const ask = await served(place, directoryAt(path))
        const shown = async (target: string) => (await ask(`GET /ui/${target}`)).body
        expect(await shown('app.css')).toBe('a {}')
        expect(await shown('back.css')).toBe('a {}')
        for (const name of Object.keys(links)) {
          if (name.startsWith('.') || name === 'app.css' || name === 'back.css') continue
          expect(await shown(name), name).toBe('index')
        }
        expect(await shown('elsewhere/index.html')).toBe('index')
        expect(await shown('to-elsewhere/')).toBe('index')
      }
      unlinkSync(`${ui}/index.html`)
      symlinkSync('../secret', `${ui}/index.html`)
      const ask = await served(place, directoryAt(ui))
      expect(await ask('GET /ui/')).toMatchObject({ status: 404, body: '' })
    })
  })
})
