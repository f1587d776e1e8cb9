from urllib.parse import parse_qs, urlsplit

from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session


class Gatehouse:
    def __init__(self, issuer, client_id, client_secret, redirect_uri):
        self.api = f"{issuer}/api/oauth"
        self.consent = f"{issuer}/auth/consent"
        self.client = {"client_id": client_id, "client_secret": client_secret, "redirect_uri": redirect_uri}

    def session(self, token=None, update_token=None):
        """Calls userinfo, for example. Calls `update_token` with each new token: store it at once."""
        return OAuth2Session(
            **self.client,
            scope="user.identify offline_access",
            code_challenge_method="S256",  # no PKCE without it
            token_endpoint=f"{self.api}/token",  # with it, an expired token is refreshed on use
            token=token,
            update_token=update_token,
        )

    def begin(self, **more):
        """Starts a sign-in. Keep `state` and `verifier` in the browser's session, then redirect to `url`."""
        verifier = generate_token(48)
        url, state = self.session().create_authorization_url(self.consent, code_verifier=verifier, **more)
        return url, state, verifier

    def finish(self, callback, state, verifier):
        """Finishes the sign-in at the redirect URI. Raises OAuthError, for example with `access_denied`."""
        error = parse_qs(urlsplit(callback).query).get("error")
        if error:  # older versions ignore it
            raise OAuthError(error[0])
        session = self.session()
        token = session.fetch_token(authorization_response=callback, state=state, code_verifier=verifier)
        return token, session.get(f"{self.api}/userinfo").json()

    def refresh(self, token):
        return self.session(token).refresh_token(f"{self.api}/token", refresh_token=token["refresh_token"])

    def sign_out(self, token):
        revoke = f"{self.api}/revoke"
        self.session(token).revoke_token(revoke, token=token["refresh_token"], token_type_hint="refresh_token")
