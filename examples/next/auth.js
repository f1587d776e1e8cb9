import NextAuth from 'next-auth'

const { GATEHOUSE_ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env
if (!GATEHOUSE_ISSUER || !CLIENT_ID || !CLIENT_SECRET) {
  throw new Error('Set GATEHOUSE_ISSUER (the URL of Gatehouse), CLIENT_ID and CLIENT_SECRET.')
}

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: 'gatehouse',
      name: 'Gatehouse',
      type: 'oauth',
      // Without `issuer`, sign-in fails as soon as the operator sets SEND_ISS.
      issuer: GATEHOUSE_ISSUER,
      authorization: { url: `${GATEHOUSE_ISSUER}/auth/consent`, params: { scope: 'user.identify offline_access' } },
      token: `${GATEHOUSE_ISSUER}/api/oauth/token`,
      userinfo: `${GATEHOUSE_ISSUER}/api/oauth/userinfo`,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      // By default, Auth.js doesn't send the `state` parameter.
      checks: ['pkce', 'state'],
      profile: (person) => ({ id: person.sub, name: person.name ?? null, email: person.email ?? null }),
    },
  ],
  pages: { signIn: '/', error: '/' },
  callbacks: {
    // Keeps the refresh token in the session's encrypted cookie, so that it can be revoked at sign-out.
    jwt: ({ token, account }) => (account ? { ...token, refreshToken: account.refresh_token } : token),
  },
  events: {
    async signOut({ token }) {
      const body = new URLSearchParams({ token: String(token?.refreshToken) })
      await fetch(`${GATEHOUSE_ISSUER}/api/oauth/revoke`, { method: 'POST', body })
    },
  },
})
