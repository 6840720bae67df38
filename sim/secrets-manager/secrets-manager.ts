import { hex } from '../../src/base/bytes.ts'
import { jsonOrUndefined } from '../../src/base/json.ts'
import type { Result } from '../../src/base/result.ts'
import { uuidOf } from '../../src/base/uuid.ts'
import type { Env } from '../../src/env/env.ts'
import type { HttpListener, HttpRequest, HttpResponse } from '../../src/env/http.ts'
import type { Endpoint, ListenFailure, TlsOptions } from '../../src/env/net.ts'
import { certificateText, errors, frame, type Members, nothing, plainJson, wrapped } from './answers.ts'
import { answerInPlace, Faults, spoilt, type TakenFault } from './faults.ts'
import { unrelatedAuthority } from './issuing.ts'
import { leasesOf, type Mount, Mounts } from './mounts.ts'
import { PkiMount } from './pki-mount.ts'
import { type Body, isBody, notConverted, secondsOf } from './request-body.ts'
import { SystemMounts } from './system-mounts.ts'
import { type TokenGrant, Tokens } from './tokens.ts'

/** Whether a secrets manager serves, or why not. */
export type ManagerState = 'active' | 'sealed' | 'uninitialised'

/** A request that has passed the token check. */
interface Call {
  readonly method: string
  readonly path: string
  readonly body: Body
  readonly token: TokenGrant
}

/**
 * Stands in for an external secrets manager: its PKI API as recorded, with real X.509. It uses the world only through
 * Env, so it is a machine of the simulator as well as a server on real sockets.
 */
export class SecretsManager {
  readonly tokens: Tokens
  readonly faults = new Faults()
  state: ManagerState = 'active'
  /**
   * Every call that was answered or swallowed: `PUT connect-root/root/sign-self-issued`. For tests; limited by their
   * length.
   */
  readonly calls: string[] = []
  readonly #env: Env
  readonly #mounts = new Mounts()
  readonly #system: SystemMounts
  #other = ''

  constructor(env: Env) {
    this.#env = env
    this.tokens = new Tokens(env.clock)
    const requestId = (): string => this.#requestId()
    this.#system = new SystemMounts(this.#mounts, () => new PkiMount(env, requestId), requestId)
  }

  serve(at: Endpoint, tls?: TlsOptions): Promise<Result<HttpListener, ListenFailure>> {
    return this.#env.http.serve(at, (request) => this.answer(request), tls)
  }

  /** The PKI mount at this path, for changes that an operator may make behind the client's back. */
  mountAt(path: string): PkiMount | undefined {
    return this.#mounts.get(path)?.pki
  }

  /** Mounts a PKI engine, with the leases of the system, as an operator may. */
  mount(path: string): void {
    this.#system.mount(path)
  }

  unmount(path: string): void {
    this.#mounts.remove(path)
  }

  async answer(request: HttpRequest): Promise<HttpResponse> {
    this.calls.push(`${request.method} ${request.target.replace(/^\/v1\//, '')}`)
    const { method, target } = request
    const fault = this.faults.take(request, () =>
      this.#env.random.draws('secrets manager', method, target, this.calls.length),
    )
    const inPlace = fault === undefined ? undefined : answerInPlace(fault, request)
    if (inPlace !== undefined) return inPlace
    const answer = await this.#carriedOut(request)
    return fault === undefined ? answer : spoilt(this.#env, fault, answer, await this.#unrelated(fault))
  }

  async #unrelated({ kind }: TakenFault): Promise<string> {
    if (kind === 'wrong-chain' && this.#other === '') this.#other = await unrelatedAuthority(this.#env)
    return this.#other
  }

  async #carriedOut({ method, target, headers, body }: HttpRequest): Promise<HttpResponse> {
    const path = target.replace(/\?.*$/, '')
    if (!path.startsWith('/v1/')) return errors(404)
    if (path === '/v1/sys/health') return method === 'GET' ? this.#health() : errors(405)
    const id = headers.get('x-vault-token') ?? /^Bearer (.*)$/.exec(headers.get('authorization') ?? '')?.[1] ?? ''
    if (this.state !== 'active') {
      return errors(503, id === '' ? 'Vault is sealed' : 'error performing token check: Vault is sealed')
    }
    if (body === 'too-large') return errors(413, 'failed to parse JSON input: http: request body too large')
    const parsed = body.length === 0 ? {} : jsonOrUndefined(body)
    if (!isBody(parsed ?? {}) || parsed === undefined) return errors(400, 'failed to parse JSON input')
    return this.#checked(method, path.slice('/v1/'.length), isBody(parsed) ? parsed : {}, id)
  }

  #checked(method: string, path: string, body: Body, id: string): HttpResponse | Promise<HttpResponse> {
    const found = this.#mounts.find(path)
    if (method === 'GET' && found !== undefined && ['ca/pem', 'ca_chain'].includes(found.within)) {
      return certificateText(found.within === 'ca/pem' ? found.mount.pki.own.shown : found.mount.pki.own.shownChain)
    }
    if (id === '') return errors(400, 'missing client token')
    const token = this.tokens.find(id)
    if (token === undefined) return errors(403, 'permission denied')
    if (!mayCall(token, path)) return wrapped(403, 'permission denied')
    const call = { method: method === 'POST' ? 'PUT' : method, path, body, token }
    if (path.startsWith('auth/token/')) return this.#token(call)
    if (path === 'sys/mounts' || path.startsWith('sys/mounts/')) return this.#system.answer(call)
    if (found === undefined) return errors(404, `no handler for route '${path}'`)
    return this.#pki(call, found.mount, found.within)
  }

  #token({ method, path, body, token }: Call): HttpResponse {
    const name = path.slice('auth/token/'.length)
    if (method === 'GET' && name === 'lookup-self') return frame(this.#requestId(), this.tokens.lookUp(token.id))
    if (method === 'PUT' && name === 'revoke-self') {
      this.tokens.revoke(token.id)
      return nothing
    }
    if (method !== 'PUT' || name !== 'renew-self') return wrapped(403, 'permission denied')
    const increment = secondsOf(body['increment'])
    if (increment === undefined) return wrapped(500, notConverted(body['increment'], 'increment'))
    const renewal = this.tokens.renew(token.id, increment)
    if (renewal === 'not-renewable') return errors(400, 'lease is not renewable')
    const policies = token.mounts === 'all' ? ['root'] : ['default', 'svc-ca']
    const auth = {
      client_token: token.id,
      accessor: 'accessor',
      policies,
      token_policies: policies,
      metadata: null,
      lease_duration: renewal.seconds,
      renewable: true,
      entity_id: '',
      token_type: 'service',
    }
    return frame(this.#requestId(), null, { auth, warnings: renewal.warnings })
  }

  #pki({ method, body, token }: Call, mount: Mount, within: string): HttpResponse | Promise<HttpResponse> {
    const { pki, path } = mount
    const leases = leasesOf(mount)
    if (within.startsWith('roles/')) return this.#role(pki, method, within.slice('roles/'.length), body)
    if (within === 'cert/ca' && method === 'GET') {
      return pki.own.shown === ''
        ? errors(404)
        : frame(this.#requestId(), { certificate: pki.own.shown, revocation_time: 0 })
    }
    if (within === 'root' && method === 'DELETE')
      return token.sudo ? pki.own.deleteRoot() : wrapped(403, 'permission denied')
    const known = within.startsWith('sign/') || ['root', 'intermediate'].includes(within.split('/')[0] ?? '')
    if (!known) return wrapped(404, 'unsupported path')
    if (method !== 'PUT') return wrapped(405, 'unsupported operation')
    if (within.startsWith('sign/')) return pki.signLeaf(within.slice('sign/'.length), body, leases)
    switch (within) {
      case 'root/generate/internal':
        return pki.generateRoot(body, leases, path)
      case 'root/sign-intermediate':
        return pki.signIntermediate(body, leases)
      case 'root/sign-self-issued':
        return token.sudo ? pki.signSelfIssued(body) : wrapped(403, 'permission denied')
      case 'intermediate/generate/internal':
        return pki.own.generateRequest(body)
      case 'intermediate/set-signed':
        return pki.own.setSigned(body)
      default:
        return wrapped(404, 'unsupported path')
    }
  }

  #role(pki: PkiMount, method: string, name: string, body: Body): HttpResponse {
    if (method === 'PUT') return pki.writeRole(name, body)
    if (method === 'DELETE') return pki.deleteRole(name)
    if (method !== 'GET') return wrapped(405, 'unsupported operation')
    const role = pki.role(name)
    return role === undefined ? errors(404) : frame(this.#requestId(), role.shown)
  }

  #health(): HttpResponse {
    const status = { active: 200, sealed: 503, uninitialised: 501 }[this.state]
    const sealed = this.state !== 'active'
    const mode = sealed ? 'unknown' : 'disabled'
    const members: Members = {
      initialized: this.state !== 'uninitialised',
      sealed,
      standby: sealed,
      performance_standby: false,
      replication_performance_mode: mode,
      replication_dr_mode: mode,
      server_time_utc: Math.floor(this.#env.clock.wallMs() / 1000),
      version: '1.0.0',
      ...(sealed ? {} : { cluster_name: `cluster-${hex(new Uint8Array(4))}`, cluster_id: uuidOf(new Uint8Array(16)) }),
    }
    return plainJson(status, members)
  }

  #requestId(): string {
    return uuidOf(this.#env.crypto.randomBytes(16, 'request'))
  }
}

/** The policy names its mounts, and each token may look up and renew itself. */
function mayCall({ mounts }: TokenGrant, path: string): boolean {
  if (mounts === 'all' || path === 'sys/mounts' || /^auth\/token\/(lookup|renew|revoke)-self$/.test(path)) return true
  const within = path.replace(/^sys\/mounts\//, '')
  return mounts.some((mount) => within === mount || within.startsWith(`${mount}/`))
}
