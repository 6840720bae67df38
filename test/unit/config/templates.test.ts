import { describe, expect, it } from 'vitest'
import { normalize } from '../../../src/config/normalize.ts'
import { problemText } from '../../../src/config/problem.ts'
import type { FileConfig } from '../../../src/config/schema.ts'
import { ipText, parseIp } from '../../../src/config/templates/ip.ts'
import { evaluateTemplate } from '../../../src/config/templates/template.ts'
import type { Machine, MachineInterface } from '../../../src/env/process.ts'

const interfaces: readonly MachineInterface[] = [
  { name: 'lo', address: '127.0.0.1', prefix: 8 },
  { name: 'lo', address: '::1', prefix: 128 },
  { name: 'eth1', address: '192.168.7.9', prefix: 24 },
  { name: 'eth0', address: '10.1.2.3', prefix: 16 },
  { name: 'eth0', address: 'fe80::1%eth0', prefix: 64 },
  { name: 'wan0', address: '8.8.4.4', prefix: 29 },
  { name: 'wan0', address: '2600::5', prefix: 64 },
]

function machine(route: string | undefined = 'eth0', on = interfaces): Machine {
  return {
    hostName: 'host-1',
    architecture: 'x64',
    operatingSystem: 'linux',
    cpuCount: 2,
    interfaces: () => on,
    defaultInterface: () => route,
  }
}

function text(template: string, on = machine()): string {
  const value = evaluateTemplate(template, on)
  return value.ok ? value.value : `! ${value.error}`
}

describe('a template for addresses', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['{{ GetPrivateIP }}', '10.1.2.3'],
    ['{{GetPrivateIP}}:8301', '10.1.2.3:8301'],
    ['{{ GetPrivateIPs }}', '10.1.2.3 192.168.7.9'],
    ['{{ GetPublicIP }}', '8.8.4.4'],
    ['{{ GetPublicIPs }}', '8.8.4.4 2600::5'],
    ['{{ GetInterfaceIP "eth1" }}', '192.168.7.9'],
    ['{{ GetInterfaceIP "eth" }}', '10.1.2.3'],
    ['{{ GetInterfaceIPs "eth.*" }}', '10.1.2.3 192.168.7.9'],
    ['{{ GetInterfaceIP "none" }}', ''],
    ['{{ GetAllInterfaces | include "type" "ipv6" | join "address" "," }}', '::1,fe80::1,2600::5'],
    ['{{ GetDefaultInterfaces | exclude "type" "ipv6" | attr "address" }}', '10.1.2.3'],
    ['{{ GetPrivateInterfaces | sort "-address" | limit 1 | join "name" " " }}', 'eth1'],
    ['{{ GetAllInterfaces | include "network" "192.168.0.0/16" | attr "string" }}', '192.168.7.9/24'],
    ['{{ GetAllInterfaces | include "flags" "forwardable|up" | exclude "rfc" "1918|6598" | attr "name" }}', 'wan0'],
    ['{{ GetAllInterfaces | include "flags" "loopback" | join "address" " " }}', '127.0.0.1 ::1'],
    ['{{ GetAllInterfaces | include "name" `^wan\\d$` | sort "type" | attr "netmask" }}', '255.255.255.248'],
    ['{{ GetAllInterfaces | include "name" "eth1" | math "address" "+5" | attr "address" }}', '192.168.7.14'],
    ['{{ GetAllInterfaces | include "name" "eth1" | math "network" "+1" | attr "address" }}', '192.168.7.1'],
    ['{{ GetAllInterfaces | include "name" "eth1" | math "network" "-2" | attr "address" }}', '192.168.7.254'],
    ['{{ GetAllInterfaces | include "name" "eth1" | math "mask" "20" | attr "network" }}', '192.168.0.0/20'],
    ['{{ GetAllInterfaces | unique "name" | join "name" " " }}', 'lo eth1 eth0 wan0'],
    ['{{ GetAllInterfaces | offset 2 | limit 1 | attr "size" }}', '256'],
  ])('%s is %s', (template, expected) => {
    expect(text(template)).toBe(expected)
  })

  it('begins with the interface of the default route, wherever that goes', () => {
    expect(text('{{ GetPrivateIP }}', machine('eth1'))).toBe('192.168.7.9')
    expect(text('{{ GetPrivateIP }}', machine(undefined, [interfaces[2] as MachineInterface]))).toBe('192.168.7.9')
    expect(
      text('{{ GetDefaultInterfaces | attr "address" }}', { ...machine(), defaultInterface: () => undefined }),
    ).toBe('! the default route is not known here')
  })

  it.each([
    ['{{ Foo }}', 'function "Foo" not defined'],
    ['{{ GetPrivateIP', 'the template is not closed with }}'],
    ['{{ }}', 'the template is empty'],
    ['{{ GetAllInterfaces | }}', 'a function is missing behind |'],
    ['{{ GetAllInterfaces }}', 'it comes to interfaces: end it with join "address" " "'],
    ['{{ GetPrivateIP | limit 1 }}', 'limit takes interfaces, and is given a text'],
    ['{{ GetInterfaceIP }}', 'GetInterfaceIP cannot stand here with 0 arguments'],
    ['{{ limit 1 }}', 'limit cannot stand here with 1 argument'],
    ['{{ GetAllInterfaces | sort "colour" | attr "name" }}', '"colour" is none of the orders'],
    ['{{ GetAllInterfaces | include "colour" "red" }}', 'the selector "colour" is not served'],
    ['{{ GetAllInterfaces | include "name" "(" }}', '"(" is not a regular expression'],
    ['{{ GetAllInterfaces | include "network" "x" }}', '"x" is not a network'],
    ['{{ GetAllInterfaces | include "rfc" "1" }}', 'RFC 1 is not one of'],
    ['{{ GetAllInterfaces | include "flags" "shiny" }}', 'the flag "shiny" is none of'],
    ['{{ GetAllInterfaces | attr "colour" }}', 'the attribute "colour" is none of'],
    ['{{ GetAllInterfaces | math "address" "5" }}', 'math of address needs a sign before 5'],
    ['{{ GetAllInterfaces | math "mask" "200" }}', 'a mask cannot have 200 bits'],
    ['{{ range GetAllInterfaces }}x{{ end }}', '"range" is not served: write functions and pipes'],
    ['{{ $x := 1 }}', '"$" is not served: write functions and pipes'],
  ])('%s is refused: %s', (template, why) => {
    expect(text(template)).toContain(`! ${why}`)
  })
})

describe('addresses in the configuration', () => {
  const base: FileConfig = { data_dir: '/d', server: true }
  const configOf = (file: FileConfig) => {
    const normalized = normalize({ ...base, ...file }, false, machine())
    return normalized.ok ? normalized.value.config : normalized.error.map(problemText)
  }

  it('may be templates wherever there are addresses', () => {
    const file: FileConfig = {
      bind_addr: '{{ GetInterfaceIP "eth0" }}',
      advertise_addr: '{{ GetPublicIP }}',
      advertise_addr_wan: '{{ GetInterfaceIP "eth1" }}',
      client_addr: '{{ GetPrivateIPs }} 127.0.0.1',
      addresses: { dns: '{{ GetPrivateIP }}' },
      serf_lan: '{{ GetPrivateIP }}',
      serf_wan: '{{ GetPrivateIP }}',
      retry_join: ['{{ GetPrivateIPs }}', '10.0.0.1'],
      start_join_wan: ['{{ GetInterfaceIP "eth1" }}:9'],
    }
    expect(configOf(file)).toMatchObject({
      bindAddress: '10.1.2.3',
      advertiseAddress: '8.8.4.4',
      wan: { advertiseAddress: '192.168.7.9', bindAddress: '10.1.2.3', startJoin: ['192.168.7.9:9'] },
      clientAddresses: ['10.1.2.3', '192.168.7.9', '127.0.0.1'],
      dnsAddresses: ['10.1.2.3'],
      serfLanBindAddress: '10.1.2.3',
      retryJoin: ['10.1.2.3:8301', '192.168.7.9:8301', '10.0.0.1:8301'],
    })
  })

  it('that cannot be worked out are refused, each once', () => {
    expect(configOf({ bind_addr: '{{ Foo }}', serf_lan: '{{ GetInterfaceIP "eth9" }}' })).toEqual([
      'config: bind_addr: error parsing "{{ Foo }}": function "Foo" not defined: correct the template, or write an address',
      'config: serf_lan: "{{ GetInterfaceIP \\"eth9\\" }}" comes to no address on this machine: write an address',
    ])
    expect(configOf({ bind_addr: '{{ GetPrivateIPs }}' })).toEqual([
      "config: bind_addr cannot contain multiple addresses: use 'addresses.{dns,http,https}' instead",
    ])
  })

  it.each(['::', '::1', '2001:db8::', '1::2:0:0:3', '0:1:2:3:4:5:6:7', 'fe80::a:b', '10.0.0.1'])(
    '%s is written as it is read',
    (address) => {
      const ip = parseIp(address)
      expect(ip === undefined ? undefined : ipText(ip)).toBe(address)
    },
  )

  it.each(['1.2.3', '01.2.3.4', '1:2', ':::', '1::2::3', '12345::', '1:2:3:4:5:6:7:8:9', '1.2.3.4:5', 'g::'])(
    '%s is no address',
    (address) => expect(parseIp(address)).toBeUndefined(),
  )
})
