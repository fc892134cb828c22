//! Who may do what: one table with every route and every kind of caller.
//!
//! 401 without a token that works, 404 for what the caller may not know of, 403 where callers may
//! see the thing but not do the act. In everything else the requests are correct.
//!
//! The OAuth page, the exchange of OAuth codes and the ending of tokens do not use tokens of callers:
//! a form without its seal, a code that was never issued, or an application that does not exist is
//! refused for every caller.

use std::collections::HashSet;

use futures_util::future::join_all;

use crate::access_fixture::{Asker, Cast, Fixture, Place};
use crate::world::World;
use crate::world::documented;
use crate::world::server::Setup;

/// Rows are tried from top to bottom: direct messages before any exist, and the log-out, which ends
/// every token, last. A path with `@office` is tried in a group in office mode; one with `@chat`,
/// in the chat of the owner and Tom.
const TABLE: &str = "
method path                                      owner admin member former removed blocked stranger nobody revoked bot
GET    /v3/users/{user}                          200   200   200    404    404     404     404      401    401     401
POST   /v3/users/{user}/report                   201   201   201    404    404     404     404      401    401     401
GET    /v3/groups                                200   200   200    200    200     200     200      401    401     401
POST   /v3/groups                                201   201   201    201    201     201     201      401    401     401
GET    /v3/groups/former                         200   200   200    200    200     200     200      401    401     401
POST   /v3/groups/join                           200   200   200    200    403     404     404      401    401     401
POST   /v3/groups/change_owners                  200   200   200    200    200     200     200      401    401     401
GET    /v3/directory                             200   200   200    200    200     200     200      401    401     401
GET    /v3/groups/{id}                           200   200   200    404    404     404     404      401    401     401
POST   /v3/groups/{id}/update                    200   200   200    404    404     404     404      401    401     401
POST   /v3/groups/{id}/update@office             200   200   403    404    404     404     404      401    401     401
POST   /v3/groups/{id}/archive                   200   403   403    404    404     404     404      401    401     401
POST   /v3/groups/{id}/unarchive                 200   403   403    404    404     404     404      401    401     401
POST   /v3/groups/{id}/copy                      201   201   403    404    404     404     404      401    401     401
POST   /v3/groups/{id}/destroy                   200   403   403    404    404     404     404      401    401     401
GET    /v3/groups/{id}/join/{token}              200   200   200    200    200     200     200      200    200     200
POST   /v3/groups/{id}/join/{token}              200   200   200    200    200     200     200      401    401     401
POST   /v3/groups/{id}/rejoin                    200   200   200    200    403     404     404      401    401     401
GET    /v3/groups/{id}/members                   200   200   403    404    404     404     404      401    401     401
GET    /v3/memberships/states                    200   200   200    200    200     200     200      401    401     401
POST   /v3/groups/{id}/members/add               202   202   202    404    404     404     404      401    401     401
POST   /v3/groups/{id}/members/add@office        202   202   403    404    404     404     404      401    401     401
GET    /v3/groups/{id}/members/results/{request} 200   200   200    404    404     404     404      401    401     401
GET    /v3/groups/{id}/permissions               200   200   200    404    404     404     404      401    401     401
POST   /v3/groups/{id}/members/{membership}/update 200 403   403    404    404     404     404      401    401     401
POST   /v3/groups/{id}/members/{membership}/remove 200 200   403    404    404     404     404      401    401     401
POST   /v3/groups/{id}/members/{membership}/remove@office 200 200 403  404    404     404     404      401    401     401
POST   /v3/groups/{id}/members/{membership}/approval 404 404   404    404    404     404     404      401    401     401
POST   /v3/groups/{id}/members/approvals         200   200   200    200    200     200     200      401    401     401
PUT    /v3/groups/{id}/members/{membership}/timeout 200 200   403    404    404     404     404      401    401     401
DELETE /v3/groups/{id}/members/{membership}/timeout 200 200   403    404    404     404     404      401    401     401
POST   /v3/conversations/{conversation}/messages/{message}/report 201 201 201 404 404   404     404      401    401     401
POST   /v3/groups/{id}/report                    400   201   201    404    404     404     404      401    401     401
GET    /v3/groups/{id}/reports                   200   200   403    404    404     404     404      401    401     401
POST   /v3/groups/{id}/reports/{report}/resolve  200   200   403    404    404     404     404      401    401     401
GET    /v3/groups/{id}/audit                     200   200   403    404    404     404     404      401    401     401
POST   /v3/groups/{id}/appeals                   400   400   400    404    404     404     404      401    401     401
GET    /v3/groups/{id}/invites                   200   200   200    404    404     404     404      401    401     401
POST   /v3/groups/{id}/invites                   201   201   201    404    404     404     404      401    401     401
POST   /v3/groups/{id}/invites/email             201   201   201    404    404     404     404      401    401     401
DELETE /v3/groups/{id}/invites/{invite}          200   200   404    404    404     404     404      401    401     401
GET    /v3/groups/{id}/subgroups                 200   200   200    404    404     404     404      401    401     401
POST   /v3/groups/{id}/subgroups                 201   201   403    404    404     404     404      401    401     401
GET    /v3/groups/{id}/subgroups/{topic}         200   200   200    404    404     404     404      401    401     401
PUT    /v3/groups/{id}/subgroups/{topic}         200   200   403    404    404     404     404      401    401     401
POST   /v3/groups/{id}/subgroups/{topic}/mute    200   200   200    404    404     404     404      401    401     401
POST   /v3/groups/{id}/subgroups/{topic}/unmute  200   200   200    404    404     404     404      401    401     401
DELETE /v3/groups/{id}/subgroups/{topic}         200   200   403    404    404     404     404      401    401     401
GET    /v3/groups/{id}/rules                     200   200   403    404    404     404     404      401    401     401
POST   /v3/groups/{id}/rules                     201   201   403    404    404     404     404      401    401     401
POST   /v3/groups/{id}/rules/test                200   200   403    404    404     404     404      401    401     401
PUT    /v3/groups/{id}/rules/{rule}              200   200   403    404    404     404     404      401    401     401
DELETE /v3/groups/{id}/rules/{rule}              200   200   403    404    404     404     404      401    401     401
GET    /v3/groups/{id}/held                      200   200   200    404    404     404     404      401    401     401
POST   /v3/groups/{id}/held/{held}               200   200   403    404    404     404     404      401    401     401
GET    /v3/groups/{id}/bans                      200   200   403    404    404     404     404      401    401     401
PUT    /v3/groups/{id}/bans/{user}               200   200   403    404    404     404     404      401    401     401
DELETE /v3/groups/{id}/bans/{user}               200   200   403    404    404     404     404      401    401     401
POST   /v3/groups/{id}/memberships/{membership}/destroy 200 200 403 404    404     404     404      401    401     401
POST   /v3/groups/{id}/memberships/{membership}/activate 200 200 403 404   404     404     404      401    401     401
POST   /v3/groups/{id}/memberships/update        200   200   200    404    404     404     404      401    401     401
POST   /v3/groups/{id}/memberships/update@office 200   200   200    404    404     404     404      401    401     401
POST   /v3/groups/{id}/memberships/mute          200   200   200    404    404     404     404      401    401     401
POST   /v3/groups/{id}/memberships/unmute        200   200   200    404    404     404     404      401    401     401
POST   /v3/groups/{id}/memberships/mute_all      200   200   200    404    404     404     404      401    401     401
POST   /v3/groups/{id}/memberships/unmute_all    200   200   200    404    404     404     404      401    401     401
POST   /v3/memberships/mute_all                  200   200   200    200    200     200     200      401    401     401
POST   /v3/memberships/unmute_all                200   200   200    200    200     200     200      401    401     401
GET    /v3/conversations/{conversation}/notifications 200 200 200   404    404     404     404      401    401     401
PUT    /v3/conversations/{conversation}/notifications 200 200 200   404    404     404     404      401    401     401
GET    /v3/groups/{id}/messages                  200   200   200    404    404     404     404      401    401     401
POST   /v3/groups/{id}/messages                  201   201   201    404    404     404     404      401    401     401
POST   /v3/groups/{id}/messages@office           201   201   201    404    404     404     404      401    401     401
GET    /v3/groups/{id}/messages/{message}        200   200   200    404    404     404     404      401    401     401
PUT    /v3/groups/{id}/messages/{message}        403   403   403    404    404     404     404      401    401     401
PUT    /v3/conversations/{conversation}/messages/{message} 403 403 403 404 404 404 404 401 401 401
DELETE /v3/conversations/{conversation}/messages/{message} 204 204 403 404 404 404 404 401 401 401
GET    /v3/conversations/{conversation}/messages/{message}/history 200 200 403 404 404 404 404 401 401 401
GET    /v3/conversations/{conversation}/messages/{message}/replies 200 200 200 404 404 404 404 401 401 401
POST   /v3/conversations/{conversation}/messages/{message}/pin 200 200 200 404 404 404 404 401 401 401
POST   /v3/conversations/{conversation}/messages/{message}/pin@office 200 200 403 404 404 404 404 401 401 401
POST   /v3/conversations/{conversation}/messages/{message}/unpin 200 200 200 404 404 404 404 401 401 401
POST   /v3/conversations/{conversation}/messages/{message}/save 200 200 200 404 404 404 404 401 401 401
POST   /v3/conversations/{conversation}/messages/{message}/unsave 200 200 200 200 200 200 200 401 401 401
GET    /v3/saved_messages                        200   200   200    200    200     200     200      401    401     401
GET    /v3/pinned/groups/{id}/messages           200   200   200    404    404     404     404      401    401     401
GET    /v3/pinned/direct_messages                200   200   200    200    200     200     200      401    401     401
PUT    /v3/bots/{bot}/messages/{message}         403   403   403    403    403     403     403      403    403     403
DELETE /v3/bots/{bot}/messages/{message}         403   403   403    403    403     403     403      403    403     403
GET    /v3/mentions                              200   200   200    200    200     200     200      401    401     401
GET    /v3/search/messages                       304   304   304    404    404     404     404      401    401     401
GET    /v3/chats                                 200   200   200    200    200     200     200      401    401     401
GET    /v3/chats/{chat}                          404   404   404    404    404     404     404      401    401     401
POST   /v3/chats/{chat}/approve                  404   404   404    404    404     404     404      401    401     401
DELETE /v3/chats/{chat}                          404   404   404    404    404     404     404      401    401     401
GET    /v3/pinned_conversations                  200   200   200    200    200     200     200      401    401     401
PUT    /v3/pinned_conversations                  200   200   200    404    404     404     404      401    401     401
GET    /v3/conversation_list                     200   200   200    200    200     200     200      401    401     401
PUT    /v3/conversation_list                     200   200   200    404    404     404     404      401    401     401
GET    /v3/direct_messages                       304   304   304    304    304     304     304      401    401     401
POST   /v3/direct_messages                       201   201   201    201    201     403     201      401    401     401
GET    /v3/groups/{id}/messages/{message}/read_by 200  200   200    404    404     404     404      401    401     401
GET    /v3/groups/{id}/commands                  200   200   200    404    404     404     404      401    401     401
GET    /v3/drafts                                200   200   200    200    200     200     200      401    401     401
GET    /v3/drafts/{conversation}                 200   200   200    404    404     404     404      401    401     401
PUT    /v3/drafts/{conversation}                 200   200   200    404    404     404     404      401    401     401
POST   /v3/conversations/{conversation}/read     200   200   200    404    404     404     404      401    401     401
POST   /v3/conversations/{conversation}/unread   200   200   200    404    404     404     404      401    401     401
POST   /v3/conversations/{conversation}/files    201   201   201    404    404     404     404      401    401     401
PUT    /v3/conversations/{conversation}/notifications@chat 200 404 404 404  404     404     404      401    401     401
POST   /v3/conversations/{conversation}/files@chat 201 404   404    404    404     404     404      401    401     401
POST   /v1/{conversation}/files                  201   201   201    404    404     404     404      401    401     401
GET    /v1/{conversation}/uploadStatus           200   200   200    404    404     404     404      401    401     401
POST   /v1/{conversation}/fileData               200   200   200    404    404     404     404      401    401     401
GET    /v1/{conversation}/files/{file}           200   200   200    404    404     404     404      401    401     401
POST   /v1/{conversation}/files/{file}           200   200   200    404    404     404     404      401    401     401
GET    /v3/uploads/{upload}                      404   404   404    404    404     404     404      401    401     401
HEAD   /v3/uploads/{upload}                      404   404   404    404    404     404     404      401    401     401
PATCH  /v3/uploads/{upload}                      404   404   404    404    404     404     404      401    401     401
DELETE /v3/uploads/{upload}                      404   404   404    404    404     404     404      401    401     401
GET    /v3/files/{conversation}/{file}           200   200   200    404    404     404     404      401    401     401
HEAD   /v3/files/{conversation}/{file}           200   200   200    404    404     404     404      401    401     401
POST   /v3/files/{conversation}/{file}/link      201   201   201    404    404     404     404      401    401     401
GET    /v3/conversations/{conversation}/gallery  200   200   200    404    404     404     404      401    401     401
GET    /v3/limits                                200   200   200    200    200     200     200      401    401     401
POST   /v3/messages/{conversation}/{message}/like 200  200   200    404    404     404     404      401    401     401
POST   /v3/messages/{conversation}/{message}/unlike 200 200  200    404    404     404     404      401    401     401
POST   /v3/messages/{conversation}/{message}/like@chat 200 404 404    404    404     404     404      401    401     401
POST   /v3/messages/{conversation}/{message}/unlike@chat 200 404 404  404    404     404     404      401    401     401
POST   /v3/conversations/{conversation}/messages/{message}/pin@chat 200 404 404 404 404 404 404 401 401 401
POST   /v3/conversations/{conversation}/messages/{message}/save@chat 200 404 404 404 404 404 404 401 401 401
PUT    /v3/conversations/{conversation}/messages/{message}@chat 403 404 404 404 404 404 404 401 401 401
POST   /v3/conversations/{conversation}/messages/{message}/report@chat 201 404 404 404 404 404   404      401    401     401
DELETE /v3/conversations/{conversation}/messages/{message}@chat 403 404 404 404 404 404 404 401 401 401
GET    /v3/groups/{id}/likes                     200   200   200    404    404     404     404      401    401     401
GET    /v3/groups/{id}/likes/mine                200   200   200    404    404     404     404      401    401     401
GET    /v3/groups/{id}/likes/for_me              200   200   200    404    404     404     404      401    401     401
GET    /v3/poll/{id}                             200   200   200    404    404     404     404      401    401     401
POST   /v3/poll/{id}                             201   201   201    404    404     404     404      401    401     401
GET    /v3/poll/{id}/{poll}                      200   200   200    404    404     404     404      401    401     401
POST   /v3/poll/{id}/{poll}                      200   200   200    404    404     404     404      401    401     401
POST   /v3/poll/{id}/{poll}/{option}             200   200   200    404    404     404     404      401    401     401
POST   /v3/poll/{id}/{poll}/end                  200   200   403    404    404     404     404      401    401     401
GET    /v3/conversations/{conversation}/events/list 200 200  200    404    404     404     404      401    401     401
GET    /v3/conversations/{conversation}/events/show 200 200  200    404    404     404     404      401    401     401
GET    /v3/conversations/{conversation}/events/{ics} 200 200 200    404    404     404     404      401    401     401
POST   /v3/conversations/{conversation}/events/create 201 201 201   404    404     404     404      401    401     401
POST   /v3/conversations/{conversation}/events/update 200 200 403   404    404     404     404      401    401     401
DELETE /v3/conversations/{conversation}/events/delete 200 200 403   404    404     404     404      401    401     401
POST   /v3/conversations/{conversation}/events/rsvp 200 200  200    404    404     404     404      401    401     401
DELETE /v3/conversations/{conversation}/events/rsvp/delete 200 200 200 404 404     404     404      401    401     401
POST   /v3/conversations/{conversation}/events/rsvp@chat 200 404 404 404   404     404     404      401    401     401
DELETE /v3/conversations/{conversation}/events/delete@chat 403 404 404 404 404     404     404      401    401     401
GET    /v3/groups/{id}/bots                      200   200   200    404    404     404     404      401    401     401
DELETE /v3/groups/{id}/bots/{sender}             200   200   403    404    404     404     404      401    401     401
GET    /v3/bots                                  200   200   200    200    200     200     200      401    401     401
POST   /v3/bots                                  201   201   201    404    404     404     404      401    401     401
POST   /v3/bots@office                           201   201   201    404    404     404     404      401    401     401
POST   /v3/bots/post                             201   201   201    201    201     201     201      201    201     201
POST   /v3/bots/destroy                          200   404   404    404    404     404     404      401    401     401
POST   /v3/bots/update                           200   404   404    404    404     404     404      401    401     401
POST   /v3/bots/{bot}/update                     200   404   404    404    404     404     404      401    401     401
POST   /v3/bots/{bot}/secret                     200   404   404    404    404     404     404      401    401     401
POST   /v3/bots/{bot}/test                       400   404   404    404    404     404     404      401    401     401
POST   /v3/bots/{bot}/replay                     403   404   404    404    404     404     404      401    401     401
GET    /v3/bots/{bot}/events                     200   404   404    404    404     404     404      401    401     401
GET    /v3/bots/{bot}/deliveries                 200   404   404    404    404     404     404      401    401     401
GET    /v3/bots/{bot}/deliveries/{delivery}      404   404   404    404    404     404     404      401    401     401
POST   /v3/bots/{bot}/deliveries/{delivery}/replay 404 404   404    404    404     404     404      401    401     401
GET    /v3/users/me                              200   200   200    200    200     200     200      401    401     401
GET    /v3/users/me/settings                     200   200   200    200    200     200     200      401    401     401
PUT    /v3/users/me/settings                     200   200   200    200    200     200     200      401    401     401
POST   /v3/users/update                          200   200   200    200    200     200     200      401    401     401
POST   /v3/users/sms_mode                        201   201   201    201    201     201     201      401    401     401
POST   /v3/users/sms_mode/delete                 200   200   200    200    200     200     200      401    401     401
GET    /v3/blocks                                200   200   200    200    200     200     200      401    401     401
GET    /v3/blocks/between                        200   200   200    200    200     200     200      401    401     401
POST   /v3/blocks                                201   201   201    201    201     201     201      401    401     401
DELETE /v3/blocks                                200   200   200    200    200     200     200      401    401     401
POST   /v3/blocks/delete                         200   200   200    200    200     200     200      401    401     401
GET    /v3/push                                  101   101   101    101    101     101     101      101    101     101
GET    /v3/sync                                  200   200   200    200    200     200     200      401    401     401
GET    /v3/events                                200   200   200    200    200     200     200      401    401     401
GET    /v3/events/stream                         200   200   200    200    200     200     200      401    401     401
GET    /v3/push/key                              200   200   200    200    200     200     200      401    401     401
GET    /v3/push/devices                          200   200   200    200    200     200     200      401    401     401
POST   /v3/push/devices                          201   201   201    201    201     201     201      401    401     401
DELETE /v3/push/devices/{device}                 404   404   404    404    404     404     404      401    401     401
POST   /auth/register                            201   201   201    201    201     201     201      201    201     201
POST   /auth/login                               200   200   200    200    200     200     200      200    200     200
POST   /pictures                                 200   200   200    200    200     200     200      401    401     401
POST   /uploads                                  201   201   201    201    201     201     201      401    401     401
PUT    /uploads/{picture}                        403   403   403    403    403     403     403      403    403     403
GET    /uploads/{picture}/{name}                 404   404   404    404    404     404     404      404    404     404
GET    /images/{name}                            200   200   200    200    200     200     200      200    200     200
HEAD   /images/{name}                            200   200   200    200    200     200     200      200    200     200
GET    /auth/tokens                              200   200   200    200    200     200     200      401    401     401
POST   /auth/tokens                              201   201   201    201    201     201     201      401    401     401
DELETE /auth/tokens/{token_id}                   404   404   404    404    404     404     404      401    401     401
POST   /auth/password                            200   200   200    200    200     200     200      401    401     401
DELETE /auth/account                             403   403   403    403    403     403     403      401    401     401
GET    /oauth/authorize                          200   200   200    200    200     200     200      200    200     200
POST   /oauth/authorize                          400   400   400    400    400     400     400      400    400     400
POST   /oauth/token                              400   400   400    400    400     400     400      400    400     400
POST   /oauth/access_token                       400   400   400    400    400     400     400      400    400     400
POST   /oauth/revoke                             400   400   400    400    400     400     400      400    400     400
GET    /.well-known/oauth-authorization-server   200   200   200    200    200     200     200      200    200     200
GET    /oauth/applications                       200   200   200    200    200     200     200      401    401     401
POST   /oauth/applications                       201   201   201    201    201     201     201      401    401     401
DELETE /oauth/applications/{client_id}           404   404   404    404    404     404     404      401    401     401
POST   /auth/recover                             403   403   403    403    403     403     403      403    403     403
POST   /auth/recover/{secret}                    404   404   404    404    404     404     404      404    404     404
POST   /auth/login/verify                        401   401   401    401    401     401     401      401    401     401
POST   /auth/fresh                               200   200   200    200    200     200     200      401    401     401
GET    /auth/totp                                200   200   200    200    200     200     200      401    401     401
POST   /auth/totp                                201   201   201    201    201     201     201      401    401     401
POST   /auth/totp/confirm                        403   403   403    403    403     403     403      401    401     401
POST   /auth/totp/recovery-codes                 404   404   404    404    404     404     404      401    401     401
GET    /auth/audit                               200   200   200    200    200     200     200      401    401     401
DELETE /auth/totp                                404   404   404    404    404     404     404      401    401     401
POST   /auth/passkeys/register/start             200   200   200    200    200     200     200      401    401     401
POST   /auth/passkeys/register/finish            400   400   400    400    400     400     400      401    401     401
POST   /auth/passkeys/login/start                200   200   200    200    200     200     200      200    200     200
POST   /auth/passkeys/login/finish               400   400   400    400    400     400     400      400    400     400
GET    /auth/passkeys                            200   200   200    200    200     200     200      401    401     401
GET    /auth/passkeys/{passkey_id}               404   404   404    404    404     404     404      401    401     401
PATCH  /auth/passkeys/{passkey_id}               404   404   404    404    404     404     404      401    401     401
DELETE /auth/passkeys/{passkey_id}               404   404   404    404    404     404     404      401    401     401
GET    /auth/devices                             200   200   200    200    200     200     200      401    401     401
DELETE /auth/devices/{device_id}                 404   404   404    404    404     404     404      401    401     401
GET    /auth/oidc/{provider}/start               404   404   404    404    404     404     404      404    404     404
GET    /auth/oidc/{provider}/callback            404   404   404    404    404     404     404      404    404     404
POST   /auth/oidc/finish                         401   401   401    401    401     401     401      401    401     401
POST   /auth/oidc/{provider}/link                404   404   404    404    404     404     404      401    401     401
POST   /auth/oidc/{provider}/proof               404   404   404    404    404     404     404      401    401     401
GET    /auth/oidc/{provider}/logout              404   404   404    404    404     404     404      404    404     404
POST   /auth/oidc/{provider}/logout              404   404   404    404    404     404     404      404    404     404
GET    /auth/identities                          200   200   200    200    200     200     200      401    401     401
DELETE /auth/identities/{identity_id}            404   404   404    404    404     404     404      401    401     401
POST   /auth/protest/{secret}                    404   404   404    404    404     404     404      404    404     404
GET    /auth/unsubscribe/{sealed}                404   404   404    404    404     404     404      404    404     404
POST   /auth/unsubscribe/{sealed}                404   404   404    404    404     404     404      404    404     404
POST   /auth/confirm                             403   403   403    403    403     403     403      401    401     401
POST   /auth/confirm/{secret}                    404   404   404    404    404     404     404      404    404     404
POST   /auth/setup                               403   403   403    403    403     403     403      403    403     403
GET    /auth/invites/{secret}                    404   404   404    404    404     404     404      404    404     404
GET    /auth/options                             200   200   200    200    200     200     200      200    200     200
GET    /faye                                     200   200   200    200    200     200     200      200    200     200
POST   /faye                                     200   200   200    200    200     200     200      200    200     200
GET    /faye/{step}                              200   200   200    200    200     200     200      200    200     200
POST   /faye/{step}                              200   200   200    200    200     200     200      200    200     200
GET    /health/live                              200   200   200    200    200     200     200      200    200     200
GET    /health/ready                             200   200   200    200    200     200     200      200    200     200
GET    /metrics                                  200   200   200    200    200     200     200      200    200     200
GET    /openapi.json                             200   200   200    200    200     200     200      200    200     200
GET    /asyncapi.json                            200   200   200    200    200     200     200      200    200     200
GET    /docs                                     200   200   200    200    200     200     200      200    200     200
GET    /                                         200   200   200    200    200     200     200      200    200     200
HEAD   /                                         200   200   200    200    200     200     200      200    200     200
GET    /setup                                    200   200   200    200    200     200     200      200    200     200
GET    /admin                                    200   200   200    200    200     200     200      200    200     200
GET    /invite/{secret}                          200   200   200    200    200     200     200      200    200     200
GET    /join_group/{id}/{token}                  200   200   200    200    200     200     200      200    200     200
GET    /qr/join_group/{id}/{token}/preview       200   200   200    200    200     200     200      200    200     200
GET    /qr/contact/{user}/{token}/preview        200   200   200    200    200     200     200      200    200     200
POST   /v3/access_tokens                         201   201   201    201    201     201     201      201    201     201
GET    /v3/verifications/{code}                  404   404   404    404    404     404     404      404    404     404
POST   /v3/verifications/{code}/initiate         404   404   404    404    404     404     404      404    404     404
POST   /v3/verifications/{code}/confirm          404   404   404    404    404     404     404      404    404     404
GET    /v3/user/mfa                              200   200   200    200    200     200     200      401    401     401
GET    /v3/read_receipts                         200   200   200    200    200     200     200      401    401     401
POST   /v3/read_receipts                         202   202   202    404    404     404     404      401    401     401
POST   /v3/read_receipts/{conversation}          202   202   202    404    404     404     404      401    401     401
POST   /v3/conversations/mark_all_read           202   202   202    202    202     202     202      401    401     401
POST   /v3/conversations/{conversation}/read_receipt 200 200 200    404    404     404     404      401    401     401
GET    /v3/groups/pending_memberships            200   200   200    200    200     200     200      401    401     401
GET    /v3/groups/{id}/pending_memberships       200   200   200    404    404     404     404      401    401     401
GET    /v3/groups/{id}/preview                   200   200   200    404    404     404     404      401    401     401
GET    /v3/groups/{id}/preview/{token}           200   200   200    200    200     200     200      200    200     200
DELETE /v3/groups/{id}/revoke_join               200   200   200    200    200     200     200      401    401     401
POST   /v3/groups/{id}/join                      200   200   200    200    200     200     200      401    401     401
GET    /v3/directories                           200   200   200    200    200     200     200      401    401     401
POST   /v3/web_pings                             201   201   201    201    201     201     201      401    401     401
POST   /v3/web_pings/destroy                     200   200   200    200    200     200     200      401    401     401
GET    /v3/relationships                         200   200   200    200    200     200     200      401    401     401
GET    /v3/requests                              200   200   200    200    200     200     200      401    401     401
GET    /v3/requests/count                        200   200   200    200    200     200     200      401    401     401
POST   /v3/users/{user}                          403   403   403    403    403     403     403      401    401     401
GET    /v3/direct_messages/{message}             404   404   404    404    404     404     404      401    401     401
PUT    /v3/direct_messages/{user}/messages/{message} 404 404 404    404    404     403     404      401    401     401
GET    /v1/{conversation}/fileData/{file}        200   200   200    404    404     404     404      401    401     401
GET    /v1/search                                200   200   200    200    200     200     200      401    401     401
GET    /v1/search/popular                        200   200   200    200    200     200     200      401    401     401
GET    /v1/search/trending                       200   200   200    200    200     200     200      401    401     401
GET    /v1/search/nearby                         200   200   200    200    200     200     200      401    401     401
GET    /v1/urls/preview                          404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/version                         404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/users                           404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/users/{user}                    404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/users/{user}/disable            404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/users/{user}/enable             404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/users/{user}/logout             404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/users/{user}/recover            404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/users/{user}/kind               404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/users/{user}/role               404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/groups                          404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/groups/{id}                     404   404   404    404    404     404     404      401    401     401
DELETE /v3/admin/groups/{id}                     404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/groups/{id}/freeze              404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/groups/{id}/unfreeze            404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/groups/{id}/unlist              404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/settings                        404   404   404    404    404     404     404      401    401     401
PUT    /v3/admin/settings                        404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/registration                    404   404   404    404    404     404     404      401    401     401
PUT    /v3/admin/registration                    404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/requests                        404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/requests/{user}                 404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/invites                         404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/invites                         404   404   404    404    404     404     404      401    401     401
DELETE /v3/admin/invites/{invite}                404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/mail                            404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/mail/test                       404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/mail/{mail}/retry               404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/audit                           404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/reports                         404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/reports/{report}                404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/reports/{report}/resolve        404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/rules                           404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/rules                           404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/rules/test                      404   404   404    404    404     404     404      401    401     401
PUT    /v3/admin/rules/{rule}                    404   404   404    404    404     404     404      401    401     401
DELETE /v3/admin/rules/{rule}                    404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/scim_tokens                     404   404   404    404    404     404     404      401    401     401
POST   /v3/admin/scim_tokens                     404   404   404    404    404     404     404      401    401     401
DELETE /v3/admin/scim_tokens/{token_id}          404   404   404    404    404     404     404      401    401     401
GET    /v3/admin/directory_groups                404   404   404    404    404     404     404      401    401     401
PUT    /v3/admin/directory_groups/{directory_group} 404   404   404    404    404     404     404      401    401     401
GET    /scim/v2/ServiceProviderConfig            404   404   404    404    404     404     404      401    401     401
GET    /scim/v2/ResourceTypes                    404   404   404    404    404     404     404      401    401     401
GET    /scim/v2/ResourceTypes/{resource_type}    404   404   404    404    404     404     404      401    401     401
GET    /scim/v2/Schemas                          404   404   404    404    404     404     404      401    401     401
GET    /scim/v2/Schemas/{schema}                 404   404   404    404    404     404     404      401    401     401
POST   /scim/v2/.search                          404   404   404    404    404     404     404      401    401     401
GET    /scim/v2/Users                            404   404   404    404    404     404     404      401    401     401
POST   /scim/v2/Users                            404   404   404    404    404     404     404      401    401     401
GET    /scim/v2/Users/{user}                     404   404   404    404    404     404     404      401    401     401
PUT    /scim/v2/Users/{user}                     404   404   404    404    404     404     404      401    401     401
PATCH  /scim/v2/Users/{user}                     404   404   404    404    404     404     404      401    401     401
DELETE /scim/v2/Users/{user}                     404   404   404    404    404     404     404      401    401     401
GET    /scim/v2/Groups                           404   404   404    404    404     404     404      401    401     401
POST   /scim/v2/Groups                           404   404   404    404    404     404     404      401    401     401
POST   /scim/v2/Groups/.search                   404   404   404    404    404     404     404      401    401     401
GET    /scim/v2/Groups/{directory_group}         404   404   404    404    404     404     404      401    401     401
PUT    /scim/v2/Groups/{directory_group}         404   404   404    404    404     404     404      401    401     401
PATCH  /scim/v2/Groups/{directory_group}         404   404   404    404    404     404     404      401    401     401
DELETE /scim/v2/Groups/{directory_group}         404   404   404    404    404     404     404      401    401     401
POST   /auth/logout                              200   200   200    200    200     200     200      401    401     401
";

/// A row of the table.
struct Row {
    method: &'static str,
    path: &'static str,
    place: Place,
    expected: Vec<Expected>,
}

/// A caller and the status that the table has for them.
type Expected = (Asker, u16);

fn rows() -> Vec<Row> {
    let mut lines = TABLE.trim().lines().map(str::split_whitespace);
    let askers: Vec<Asker> = lines.next().unwrap().skip(2).map(Asker::named).collect();
    let row = |mut line: std::str::SplitWhitespace<'static>| {
        let (method, path) = (line.next().unwrap(), line.next().unwrap());
        let (path, place) = path.split_once('@').unwrap_or((path, "group"));
        let statuses: Vec<u16> = line.map(|status| status.parse().unwrap()).collect();
        assert_eq!(statuses.len(), askers.len(), "{method} {path} has a status for everybody");
        let place = Place::named(place);
        Row { method, path, place, expected: askers.iter().copied().zip(statuses).collect() }
    };
    lines.map(row).collect()
}

#[test]
fn every_route_has_a_row() {
    let routes: HashSet<(String, String)> = documented::routes().into_iter().collect();
    let tabled: HashSet<(String, String)> =
        rows().iter().map(|row| (row.method.to_owned(), row.path.to_owned())).collect();
    let missing: Vec<_> = routes.difference(&tabled).collect();
    let unknown: Vec<_> = tabled.difference(&routes).collect();
    assert!(missing.is_empty(), "no row in tests/api/access.rs: {missing:?}");
    assert!(unknown.is_empty(), "a row without a route: {unknown:?}");
}

#[tokio::test]
async fn access_follows_the_table() {
    let world = World::with(Setup::default().option("--rate-limit", "off")).await;
    let cast = Cast::of(&world).await;
    let still = cast.fixture(Place::Group).await;
    let mut wrong = Vec::new();
    for row in rows() {
        // A read leaves a fixture as it is, and so does an act that is refused: they share one. A
        // caller who may act changes the fixture, so each of them has one of their own.
        let acts = !matches!(row.method, "GET" | "HEAD");
        let (allowed, refused): (Vec<Expected>, Vec<Expected>) =
            row.expected.iter().partition(|(_, status)| acts && *status < 400);
        let own = cast.fixtures(row.place, allowed.len()).await;
        wrong.extend(tried(&row, &allowed, |at| &own[at]).await);
        if row.place == Place::Group {
            wrong.extend(tried(&row, &refused, |_| &still).await);
        } else {
            let shared = cast.fixture(row.place).await;
            wrong.extend(tried(&row, &refused, |_| &shared).await);
        }
    }
    assert!(wrong.is_empty(), "not as the table has it:\n{}", wrong.join("\n"));
}

/// Tries a route as these callers; returns the responses that differ from the table.
async fn tried<'a>(
    row: &Row,
    callers: &[Expected],
    fixture: impl Fn(usize) -> &'a Fixture<'a>,
) -> Vec<String> {
    let asks = callers.iter().enumerate().map(|(at, (who, expected))| {
        let asking = fixture(at).asking(*who, row.method, row.path);
        async move {
            let status = asking.await.status;
            let Row { method, path, place, .. } = row;
            let told = format!("{method} {path} by {who:?} in {place:?}: {status}");
            (status != *expected).then(|| format!("{told}, not {expected}"))
        }
    });
    join_all(asks).await.into_iter().flatten().collect()
}
