import { z } from 'zod'
import { block, keysOf } from './key.ts'
import { alias, bool, headers, port, text, texts, whole } from './types.ts'

/**
 * Keys of addresses and ports, and of the HTTP face. Reference: configuration.md#top-level-keys,
 * configuration.md#ports.
 */

const key = keysOf('network')
const http = keysOf('http')
const refused = 'Network segments are not supported in this version of Svc'
const segments = { waits: { for: 'segments', refused } } as const

export const networkKeys = {
  addresses: block('Addresses that each interface for clients listens on, separated by spaces. Default: client_addr.', {
    dns: key(text, 'For DNS.'),
    grpc: key(text, 'For gRPC; unix://<path> is a socket.', { waits: { for: 'gRPC' } }),
    http: key(text, 'For HTTP; unix://<path> is a socket.'),
    https: key(text, 'For HTTPS; unix://<path> is a socket.'),
  }),
  advertise_addr: key(
    text,
    'Address at which other agents reach this one. Default: bind_addr, or the only private address of the machine.',
  ),
  advertise_addr_wan: key(
    text,
    'Address at which servers of other datacenters reach this one. Default: advertise_addr.',
  ),
  aliases: http(
    z.array(alias),
    'Further names of the product, which headers, the DNS domain, values of requests and variables of watches may carry as well.',
    {
      default: ['consul'],
    },
  ),
  bind_addr: key(text, 'Address that the agent listens on for other agents. -dev: 127.0.0.1.', { default: '0.0.0.0' }),
  client_addr: key(text, 'Addresses that the agent listens on for clients, separated by spaces.', {
    default: '127.0.0.1',
  }),
  disable_http_unprintable_char_filter: http(
    bool,
    'Paths of requests may contain characters that cannot be printed; otherwise these are refused with 400.',
    {
      default: false,
      since: '1.0.3',
    },
  ),
  http_config: block('The HTTP interface.', {
    block_endpoints: http(texts, 'Requests whose path begins with one of these are refused with 403.', {
      default: [],
      since: '0.9.0',
    }),
    response_headers: http(headers, 'Headers that are added to every answer.', { default: {}, since: '0.8.5' }),
  }),
  ports: block('Ports to listen on; -1: none.', {
    dns: key(port, 'DNS, over UDP and TCP.', { default: 8600 }),
    grpc: key(port, 'gRPC. -dev: 8502.', { default: -1, since: '1.3.0', waits: { for: 'gRPC' } }),
    http: key(port, 'HTTP.', { default: 8500 }),
    https: key(port, 'HTTPS; without cert_file the agent signs a certificate for itself.', { default: -1 }),
    proxy_max_port: key(port, 'The last port that the agent gives to proxies that it starts.', {
      default: 20_255,
      since: '1.2.0',
      deprecated: 'a sidecar registration',
    }),
    proxy_min_port: key(port, 'The first of these ports.', {
      default: 20_000,
      since: '1.2.0',
      deprecated: 'a sidecar registration',
    }),
    serf_lan: key(port, 'Gossip within the datacenter, over UDP and TCP.', { default: 8301 }),
    serf_wan: key(port, 'Gossip among servers of all datacenters, over UDP and TCP.', { default: 8302 }),
    server: key(port, 'Requests of other agents, on servers alone.', { default: 8300 }),
    sidecar_max_port: key(port, 'The last port that the agent gives to sidecars whose registration names none.', {
      default: 21_255,
      since: '1.3.0',
    }),
    sidecar_min_port: key(port, 'The first of these ports.', { default: 21_000, since: '1.3.0' }),
  }),
  segment: key(text, 'Belongs to the commercial edition: refused unless empty.', {
    default: '',
    since: '0.9.3',
    ...segments,
  }),
  segments: key(
    z.array(
      z.strictObject({
        advertise: key(text, 'Address at which other members of the segment reach the agent.', segments),
        bind: key(text, 'Address that the agent listens on for this segment.', segments),
        name: key(text, 'Name of the segment.', segments),
        port: key(whole, 'Port of the segment.', segments),
        rpc_listener: key(bool, 'Whether the segment has a port of its own for requests.', segments),
      }),
    ),
    'Belongs to the commercial edition: refused unless empty.',
    { default: [], since: '0.9.3', ...segments },
  ),
  serf_lan: key(text, 'Address that gossip within the datacenter listens on. Default: bind_addr.'),
  serf_wan: key(text, 'Address that gossip among datacenters listens on. Default: bind_addr.'),
  translate_wan_addrs: http(
    bool,
    'Answers about another datacenter carry the WAN addresses of its nodes, at which they are reached from this datacenter.',
    {
      default: false,
      since: '0.6.4',
    },
  ),
  unix_sockets: block('Owner and mode of the Unix sockets that the agent makes.', {
    group: key(text, 'Group ID, as a number.', { default: '' }),
    mode: key(text, 'File mode in octal, such as 0770.', { default: '' }),
    user: key(text, 'User, by name or number.', { default: '' }),
  }),
}

export const limitKeys = {
  limits: block('Limits on the requests that a client agent sends to servers.', {
    rpc_max_burst: http(z.int().min(0), 'How many requests may be sent in one burst.', {
      default: 1_000,
      reload: true,
      since: '0.9.3',
    }),
    rpc_rate: http(z.number(), 'Requests per second; -1: no limit.', { default: -1, reload: true, since: '0.9.3' }),
  }),
}
