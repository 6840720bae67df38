import { describe, expect, it } from 'vitest'
import { tlsFault } from '../../../src/host/net-failures.ts'

function withCode(code: string, message = 'text that nobody looks at'): Error {
  return Object.assign(new Error(message), { code })
}

describe('what is at fault where there is no TLS connection', () => {
  it.each([
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'plain'],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'garbled'],
    ['CERT_HAS_EXPIRED', 'expired'],
    ['CERT_NOT_YET_VALID', 'expired'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'unknown-authority'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unknown-authority'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'unknown-authority'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'unknown-authority'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'wrong-name'],
    ['CERT_SIGNATURE_FAILURE', 'certificate'],
    ['INVALID_PURPOSE', 'certificate'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'alert-certificate-required'],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'alert-unknown-authority'],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'alert-certificate-refused'],
    ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', 'alert-certificate-refused'],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', 'alert-certificate-expired'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'nothing-in-common'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'nothing-in-common'],
    ['ERR_SSL_NO_PROTOCOLS_AVAILABLE', 'nothing-in-common'],
    ['ECONNRESET', 'other'],
    ['PATH_LENGTH_EXCEEDED', 'other'],
    ['', 'other'],
  ])('is, by the code %s, %s', (code, fault) => {
    expect(tlsFault(withCode(code))).toBe(fault)
  })

  it('is the reason of OpenSSL where the code is the system alone', () => {
    const text =
      'write EPROTO 40A7:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../ssl/record.c:354:'
    expect(tlsFault(withCode('EPROTO', text))).toBe('plain')
    const alert =
      'write EPROTO 40A7:error:0A000418:SSL routines:ssl3_read_bytes:tlsv1 alert unknown ca:../ssl/r.c:1600:SSL alert'
    expect(tlsFault(withCode('EPROTO', alert))).toBe('alert-unknown-authority')
    expect(tlsFault('no error at all')).toBe('other')
  })
})
