import type { Authorization } from '../../domain/authorization/authorization.ts'
import { standardScopes } from '../../domain/authorization/scope.ts'
import type { Mount } from '../../http/new-app.ts'

/**
 * Serves the authorization server's metadata (RFC 8414), also at OpenID Connect's discovery URL, because some clients
 * look only there. It doesn't claim to support OpenID Connect.
 */
export function metadataSurface(services: {
  authorization: Pick<Authorization, 'scopes'>
  baseUrl: string
  apiUrl: string
  sendIss: boolean
}): Mount {
  const { authorization, baseUrl, apiUrl, sendIss } = services
  const clientAuthentication = ['client_secret_post', 'client_secret_basic']
  return (app) => {
    for (const address of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
      app.get(address, async (_request, reply) => {
        const declared = await authorization.scopes.list()
        return reply.header('cache-control', 'public, max-age=60').send({
          issuer: baseUrl,
          authorization_endpoint: `${baseUrl}/auth/consent`,
          token_endpoint: `${baseUrl}/api/oauth/token`,
          userinfo_endpoint: `${baseUrl}/api/oauth/userinfo`,
          revocation_endpoint: `${baseUrl}/api/oauth/revoke`,
          introspection_endpoint: `${baseUrl}/api/oauth/introspect`,
          pushed_authorization_request_endpoint: `${baseUrl}/api/oauth/par`,
          service_documentation: `${apiUrl}/openapi.json`,
          scopes_supported: [...standardScopes, ...declared.map((scope) => scope.name)],
          response_types_supported: ['code'],
          response_modes_supported: ['query'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          token_endpoint_auth_methods_supported: clientAuthentication,
          revocation_endpoint_auth_methods_supported: [...clientAuthentication, 'none'],
          introspection_endpoint_auth_methods_supported: clientAuthentication,
          code_challenge_methods_supported: ['S256'],
          authorization_response_iss_parameter_supported: sendIss,
        })
      })
    }
  }
}
