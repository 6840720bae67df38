import { z } from 'zod'
import { productTitle } from '../../model/names.ts'
import { block, keysOf } from './key.ts'
import { alias, bool, headers, port, text, texts, whole } from './types.ts'

/**
 * Keys of addresses and ports, and of the HTTP face. Reference: configuration.md#top-level-keys, configuration.md#ports.
 */

const key = keysOf('network')
const http = keysOf('http')
const refused = `Network segments are not supported in this version of ${productTitle}`
const segments = { waits: { for: 'segments', refused } } as const

export const networkKeys = {
  addresses: block('Where each face listens, several with spaces between. Default: client_addr.', {
    dns: key(text, 'Of DNS.'),
    grpc: key(text, 'Of gRPC; also unix://<path>.', { waits: { for: 'gRPC' } }),
    http: key(text, 'Of HTTP; also unix://<path>.'),
    https: key(text, 'Of HTTPS; also unix://<path>.'),
  }),
  advertise_addr: key(
    text,
    'Address that other agents use to reach this one. Default: bind_addr, or the only private.',
  ),
  advertise_addr_wan: key(text, 'Address that servers of other datacenters use. Default: advertise_addr.'),
  aliases: http(z.array(alias), 'Further product names: of headers, of the DNS domain, of variables.', {
    default: ['consul'],
  }),
  bind_addr: key(text, 'Address that the agent listens on for other agents. -dev: 127.0.0.1.', { default: '0.0.0.0' }),
  client_addr: key(text, 'Addresses that the agent listens on for clients, separated by spaces.', {
    default: '127.0.0.1',
  }),
  disable_http_unprintable_char_filter: http(bool, 'Paths may hold characters that cannot be printed.', {
    default: false,
    since: '1.0.3',
  }),
  http_config: block('The HTTP face.', {
    block_endpoints: http(texts, 'Beginnings of paths that are refused with 403.', { default: [], since: '0.9.0' }),
    response_headers: http(headers, 'Sent with every answer.', { default: {}, since: '0.8.5' }),
  }),
  ports: block('Ports; -1 closes one.', {
    dns: key(port, 'DNS, over UDP and TCP.', { default: 8600 }),
    grpc: key(port, 'gRPC. -dev: 8502.', { default: -1, since: '1.3.0', waits: { for: 'gRPC' } }),
    http: key(port, 'HTTP.', { default: 8500 }),
    https: key(port, 'HTTPS.', { default: -1 }),
    proxy_max_port: key(port, 'The last port of proxies that the agent starts.', {
      default: 20_255,
      since: '1.2.0',
      deprecated: 'a sidecar registration',
    }),
    proxy_min_port: key(port, 'The first.', {
      default: 20_000,
      since: '1.2.0',
      deprecated: 'a sidecar registration',
    }),
    serf_lan: key(port, 'Gossip within the datacenter, over UDP and TCP.', { default: 8301 }),
    serf_wan: key(port, 'Gossip among servers of all datacenters, over UDP and TCP.', { default: 8302 }),
    server: key(port, 'Requests of other agents, on a server.', { default: 8300 }),
    sidecar_max_port: key(port, 'The last port of sidecars that name none.', { default: 21_255, since: '1.3.0' }),
    sidecar_min_port: key(port, 'The first.', { default: 21_000, since: '1.3.0' }),
  }),
  segment: key(text, 'Of the commercial edition: refused unless empty.', { default: '', since: '0.9.3', ...segments }),
  segments: key(
    z.array(
      z.strictObject({
        advertise: key(text, 'Its address for others.', segments),
        bind: key(text, 'Where it listens.', segments),
        name: key(text, 'Its name.', segments),
        port: key(whole, 'Its port.', segments),
        rpc_listener: key(bool, 'It has a port for requests of its own.', segments),
      }),
    ),
    'Of the commercial edition: refused unless empty.',
    { default: [], since: '0.9.3', ...segments },
  ),
  serf_lan: key(text, 'Address that gossip within the datacenter listens on. Default: bind_addr.'),
  serf_wan: key(text, 'Address that gossip among datacenters listens on. Default: bind_addr.'),
  translate_wan_addrs: http(bool, 'Answers about another datacenter have the addresses that are reached from here.', {
    default: false,
    since: '0.6.4',
  }),
  unix_sockets: block('Who may use the sockets that are files.', {
    group: key(text, 'Number of the group.', { default: '' }),
    mode: key(text, 'Octal, such as 0770.', { default: '' }),
    user: key(text, 'Name or number.', { default: '' }),
  }),
}

export const limitKeys = {
  limits: block('How often a client agent may ask servers.', {
    rpc_max_burst: http(z.int().min(0), 'Requests at once.', { default: 1_000, reload: true, since: '0.9.3' }),
    rpc_rate: http(z.number(), 'Requests a second; -1: no limit.', { default: -1, reload: true, since: '0.9.3' }),
  }),
}
